/** The two environments (spec, introduction). */
export type EnvironmentName = 'testnet' | 'production';

/** What a model is for (spec section 2.3, `workload`). */
type Workload = 'chat' | 'embedding';

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
  /** Whether model cards carry `tool_contract`, and requests beyond it are refused (spec section 2.3). */
  readonly publishesToolContract: boolean;
  /** The model that picks among others (spec section 1); undefined where there is none. */
  readonly routingModel: string | undefined;
  /**
   * For whom managed vendors answer when no provider of the marketplace can: for requests to the routing model, or for those that
   * name the vendor's model.
   */
  readonly managedAnswers: 'routed' | 'named';
  /** The word for a managed vendor in `svc.provider` (spec section 2.2). */
  readonly managedProvider: 'managed' | 'fallback';
  /** Whether `svc.fallback` says of every reply if a managed vendor answered, and the model's card what that costs. */
  readonly statesFallback: boolean;
  /** Which models are listed. */
  readonly workloads: readonly Workload[];
}

export const ENVIRONMENTS: Readonly<Record<EnvironmentName, Environment>> = {
  testnet: {
    name: 'testnet',
    keyPrefix: 'svc_test_',
    usageOnLastContentChunk: false,
    publishesToolContract: true,
    routingModel: 'svc/cortex@1',
    managedAnswers: 'routed',
    managedProvider: 'managed',
    statesFallback: false,
    workloads: ['chat'],
  },
  production: {
    name: 'production',
    keyPrefix: 'svc_live_',
    usageOnLastContentChunk: true,
    publishesToolContract: false,
    routingModel: undefined,
    managedAnswers: 'named',
    managedProvider: 'fallback',
    statesFallback: true,
    workloads: ['chat', 'embedding'],
  },
};

export const ENVIRONMENT_NAMES = Object.keys(ENVIRONMENTS) as EnvironmentName[];
