import type { EnvironmentName } from '../target/environment-terms';

export const PRICES = { input: 100_000n, output: 400_000n };

/** What the honest market knows of a model. */
export interface HonestModel {
  id: string;
  workload: string;
  tools: boolean;
  structuredOutputs: boolean;
  contextLimit: number;
  maxOutputTokens: number;
  /** `none`: nobody serves it; `invalid`: its providers answer with what must not be delivered. */
  served: 'well' | 'none' | 'invalid';
  /** Ways to choose tools; parallel calls and strict functions only with `function`. */
  choices: string[];
  candidates?: string[];
}

const model = (id: string, fields: Partial<HonestModel> = {}): HonestModel => ({
  id: `svc/${id}@1`,
  workload: 'chat',
  tools: true,
  structuredOutputs: true,
  contextLimit: 4_096,
  maxOutputTokens: 1_024,
  served: 'well',
  choices: ['auto', 'none', 'required', 'function'],
  ...fields,
});

const BOTH = [
  model('all'),
  model('text', { tools: false, structuredOutputs: false }),
  model('unserved', { served: 'none' }),
  model('invalid', { served: 'invalid' }),
];

/** One model for each thing that a case needs. */
export const HONEST_MODELS: Readonly<Record<EnvironmentName, readonly HonestModel[]>> = {
  testnet: [
    ...BOTH,
    ...['auto', 'none', 'required'].map((choice) => model(`only-${choice}`, { choices: [choice] })),
    model('cortex', { candidates: ['svc/all@1', 'svc/only-auto@1'], choices: ['auto'] }),
  ],
  production: [...BOTH, model('vectors', { workload: 'embedding', tools: false })],
};

export function cardOf(one: HonestModel, environment: EnvironmentName): object {
  const { id, contextLimit, served, candidates } = one;
  const pricing = {
    input_price_per_mtok: String(PRICES.input),
    output_price_per_mtok: String(PRICES.output),
  };
  const capabilities = capabilitiesOf(one);
  const isCertified = environment === 'testnet' && one.tools;
  return {
    id,
    object: 'model',
    created: 1_790_000_000,
    owned_by: 'honest',
    svc: {
      contextLimit,
      capabilities,
      ...(served !== 'none' && { pricing }),
      ...(isCertified && { tool_contract: contractOf(one) }),
      ...(candidates && {
        cortex: true,
        basis: 'ceiling',
        candidates: candidates.map((candidate) => ({
          ...{ model: candidate, contextLimit, capabilities, pricing, available: true },
        })),
      }),
    },
  };
}

function capabilitiesOf({ workload, tools, structuredOutputs, maxOutputTokens }: HonestModel): object {
  return { workload, tools, structuredOutputs, reasoning: false, streaming: true, maxOutputTokens };
}

function contractOf({ choices }: HonestModel): object {
  return {
    tool_choice: choices,
    parallel_tool_calls: choices.includes('function'),
    strict_schemas: choices.includes('function'),
    tool_streaming: 'buffered',
    max_argument_bytes: 512,
    certified_concurrency: 4,
    agentic_certified: true,
    metering_version: 1,
    certification_id: 'cert_1',
  };
}
