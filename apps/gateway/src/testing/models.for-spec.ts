import type { ModelView, RoutingModelView } from '@svc/contracts';

/** Can do everything that a model here can. */
export const demoModel: ModelView = {
  id: 'svc/demo@1',
  created: 1_750_000_000,
  ownedBy: 'svc',
  contextLimit: 32_768,
  capabilities: {
    workload: 'chat',
    tools: true,
    structuredOutputs: true,
    reasoning: true,
    streaming: true,
    maxOutputTokens: 8_192,
  },
  toolContract: {
    tool_choice: ['auto', 'none', 'required', 'function'],
    parallel_tool_calls: true,
    strict_schemas: true,
    tool_streaming: 'buffered',
    max_argument_bytes: 4_096,
    certified_concurrency: 8,
    agentic_certified: true,
    metering_version: 1,
    certification_id: 'cert_1',
  },
  pricing: { inputPricePerMtok: '100000', outputPricePerMtok: '400000' },
};

/** Can do nothing but chat, and nobody serves it. */
export const toollessModel: ModelView = {
  id: 'svc/plain@1',
  created: 1_750_000_000,
  ownedBy: 'svc',
  contextLimit: 4_096,
  capabilities: {
    workload: 'chat',
    tools: false,
    structuredOutputs: false,
    reasoning: false,
    streaming: false,
    maxOutputTokens: 1_024,
  },
};

/** Picks among the two. */
export const routingModel: RoutingModelView = {
  id: 'svc/cortex@1',
  created: 1_760_000_000,
  ownedBy: 'svc',
  candidates: [demoModel.id, toollessModel.id],
  maxInputPricePerMtok: '200000',
  maxOutputPricePerMtok: '800000',
};
