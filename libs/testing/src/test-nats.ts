import { testEnvironment } from './test-environment';

/** The users of deploy/nats/nats.conf. */
export const natsUsers = [
  'gateway',
  'catalog',
  'cortex',
  'dispatch',
  'billing',
  'setup',
  'internal',
] as const;

export type NatsUser = (typeof natsUsers)[number];

/** Options for `connect` of the package `nats`. */
export interface TestNats {
  servers: string;
  user: string;
  pass: string;
  /** The only inboxes that user may listen to. */
  inboxPrefix: string;
}

/** How to reach the test NATS as one of the services, with that service's rights. */
export function testNats(user: NatsUser): TestNats {
  return {
    servers: testEnvironment('natsUrl'),
    user,
    pass: testEnvironment('password'),
    inboxPrefix: `_INBOX.${user}`,
  };
}

/** The environment nats.conf reads its passwords from. */
export function natsPasswords(password: string): Record<string, string> {
  return Object.fromEntries(natsUsers.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, password]));
}
