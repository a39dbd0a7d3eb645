/** The two environments (spec, introduction). */
export type EnvironmentName = 'testnet' | 'production';

/**
 * Everything in which the two environments differ, chosen once at boot. Nothing else in the code asks which
 * environment it runs in.
 */
export interface Environment {
  readonly name: EnvironmentName;
  /** Keys of this environment begin with it (spec section 5). */
  readonly keyPrefix: string;
  /** Where `usage` of a stream stands when the client did not ask for it (spec section 4.1). */
  readonly usageOnLastContentChunk: boolean;
  /** Whether model cards carry `tool_contract` (spec section 2.3). */
  readonly publishesToolContract: boolean;
}

export const ENVIRONMENTS: Readonly<Record<EnvironmentName, Environment>> = {
  testnet: {
    name: 'testnet',
    keyPrefix: 'svc_test_',
    usageOnLastContentChunk: false,
    publishesToolContract: true,
  },
  production: {
    name: 'production',
    keyPrefix: 'svc_live_',
    usageOnLastContentChunk: true,
    publishesToolContract: false,
  },
};

export const ENVIRONMENT_NAMES = Object.keys(ENVIRONMENTS) as EnvironmentName[];
