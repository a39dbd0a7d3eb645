/** What the global set-up hands to every test, in the environment of the test processes. */
const variables = {
  adminUrl: 'SVC_TEST_DATABASE_URL',
  templateDatabase: 'SVC_TEST_DATABASE_TEMPLATE',
  natsUrl: 'SVC_TEST_NATS_URL',
  chainUrl: 'SVC_TEST_CHAIN_URL',
  password: 'SVC_TEST_PASSWORD',
} as const;

type TestEnvironment = Record<keyof typeof variables, string>;

/** Called once, by the global set-up. */
export function publishTestEnvironment(values: TestEnvironment): void {
  for (const [key, variable] of Object.entries(variables)) {
    process.env[variable] = values[key as keyof TestEnvironment];
  }
}

/**
 * One value of the running test environment.
 * @throws Error outside the jest project `integration`.
 */
export function testEnvironment(key: keyof TestEnvironment): string {
  const value = process.env[variables[key]];
  if (value === undefined) {
    throw new Error(
      'No test servers: this test belongs to the project "integration" (*.integration-spec.ts)',
    );
  }
  return value;
}
