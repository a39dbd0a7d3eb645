import type { ModelView, ToolContract } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { featureNotSupported } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';

type Certified = Pick<ToolContract, 'tool_choice' | 'parallel_tool_calls' | 'strict_schemas'>;

/** What a model with tools may be asked for when nothing says what it was certified for. */
const UNCERTIFIED: Certified = {
  tool_choice: ['none', 'auto'],
  parallel_tool_calls: false,
  strict_schemas: false,
};

/**
 * Refuses what the model cannot do, or was not certified for (spec section 2.3, `tool_contract`; test network).
 * @throws SvcError feature_not_supported with the field
 */
export function assertSupported(
  request: ChatCompletionRequest,
  model: ModelView,
  environment: Environment,
): void {
  const { capabilities } = model;
  if (capabilities.workload !== 'chat') throw unsupported(model, 'chat completions', 'model');
  if (request.stream && !capabilities.streaming) throw unsupported(model, 'streaming', 'stream');
  if ((request.n ?? 1) !== 1) throw featureNotSupported('Only one choice is generated: n must be 1.', 'n');
  assertTextOnly(request, model);
  assertFormat(request, model);
  assertSampling(request, model);
  if (!request.tools) return;
  if (!capabilities.tools) throw unsupported(model, 'tools', 'tools');
  if (environment.publishesToolContract) assertCertified(request, model, model.toolContract ?? UNCERTIFIED);
}

function unsupported(model: ModelView, what: string, param: string) {
  return featureNotSupported(`The model "${model.id}" does not support ${what}.`, param);
}

function assertTextOnly({ messages }: ChatCompletionRequest, model: ModelView): void {
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    const part = content.findIndex(({ type }) => type !== 'text');
    if (part !== -1) {
      throw unsupported(model, 'content other than text', `messages[${at}].content[${part}].type`);
    }
  }
}

function assertFormat({ response_format: format }: ChatCompletionRequest, model: ModelView): void {
  if (!format || format.type === 'text' || model.capabilities.structuredOutputs) return;
  throw unsupported(model, `the response format ${format.type}`, 'response_format');
}

function assertSampling(request: ChatCompletionRequest, model: ModelView): void {
  if (request.logprobs) throw unsupported(model, 'logprobs', 'logprobs');
  if (request.top_logprobs) throw unsupported(model, 'top_logprobs', 'top_logprobs');
  if (request.logit_bias && Object.keys(request.logit_bias).length > 0) {
    throw unsupported(model, 'logit_bias', 'logit_bias');
  }
  if (request.reasoning_effort !== undefined && !model.capabilities.reasoning) {
    throw unsupported(model, 'reasoning_effort', 'reasoning_effort');
  }
}

function assertCertified(request: ChatCompletionRequest, model: ModelView, certified: Certified): void {
  const choice = request.tool_choice;
  const kind = typeof choice === 'object' ? choice.type : choice;
  if (kind !== undefined && !certified.tool_choice.includes(kind)) {
    throw unsupported(model, `tool_choice "${kind.slice(0, 40)}"`, 'tool_choice');
  }
  if (request.parallel_tool_calls && !certified.parallel_tool_calls) {
    throw unsupported(model, 'parallel tool calls', 'parallel_tool_calls');
  }
  if (certified.strict_schemas) return;
  const strict = request.tools?.findIndex((tool) => tool.function.strict) ?? -1;
  if (strict !== -1) throw unsupported(model, 'strict schemas', `tools[${strict}].function.strict`);
}
