import type { ModelView, ToolContract } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import type { ErrorPayload } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';

type CertifiedTools = Pick<ToolContract, 'tool_choice' | 'parallel_tool_calls' | 'strict_schemas'>;

/** What a model with tools may be asked for when nothing says what it was certified for. */
const UNCERTIFIED: CertifiedTools = {
  tool_choice: ['none', 'auto'],
  parallel_tool_calls: false,
  strict_schemas: false,
};

/** What the model's tools may be asked for. */
export function certifiedTools(model: ModelView): CertifiedTools {
  return model.toolContract ?? UNCERTIFIED;
}

/** `auto`, `none`, `required` or `function`, as `tool_choice` says or, where it says nothing, means. */
export function toolChoiceOf({ tool_choice: choice = 'auto' }: ChatCompletionRequest): string {
  return typeof choice === 'object' ? choice.type : choice;
}

/** Where the first tool with a strict schema stands, -1 without one. */
export function strictToolOf({ tools = [] }: ChatCompletionRequest): number {
  return tools.findIndex((tool) => tool.function?.strict);
}

/**
 * What the model cannot do of what is asked, or was not certified for (spec section 2.3, `tool_contract`; test network). Of the
 * contract's fields these bound a request:
 * - `tool_choice`: the ways to choose, `auto` when the request does not say; param `tool_choice`
 * - `parallel_tool_calls`: `true` by name; param `parallel_tool_calls`. A request that does not say is told to do without. Where no
 *   contract is published, clients cannot know it: there `true` is refused only when nobody who may answer takes calls in parallel, or
 *   none of those what else is asked.
 * - `strict_schemas`: `strict` functions; param `tools[n].function.strict`. A reply's strict schema is another matter: structured
 *   outputs are certified with one, and `structuredOutputs` says so.
 *
 * The others do not. `max_argument_bytes` is about documents that the model has yet to write: no request says how long they will
 * be, and those in its history were written already. Larger ones are delivered if they are valid, they were just never tried. Nor
 * do `tool_streaming`, `certified_concurrency`, `agentic_certified`, `metering_version` and `certification_id` bound anything.
 * @returns feature_not_supported with the field, as a value: the routing model asks about many, of which it needs one
 */
export function unsupportedIn(
  request: ChatCompletionRequest,
  model: ModelView,
  environment: Environment,
): ErrorPayload | undefined {
  const { capabilities } = model;
  if (capabilities.workload !== 'chat') return lacking(model, 'chat completions', 'model');
  if (request.stream && !capabilities.streaming) return lacking(model, 'streaming', 'stream');
  return (
    unoffered(request) ??
    unsupportedContent(request, model) ??
    unsupportedFormat(request, model) ??
    unsupportedSampling(request, model) ??
    unsupportedTools(request, model, environment)
  );
}

function lacking(model: ModelView, what: string, param: string): ErrorPayload {
  return refusal(`The model "${model.id}" does not support ${what}.`, param);
}

function refusal(message: string, param: string): ErrorPayload {
  return { code: 'feature_not_supported', message, param };
}

/** What no model here is offered with. */
function unoffered(request: ChatCompletionRequest): ErrorPayload | undefined {
  if ((request.n ?? 1) !== 1) return refusal('Only one choice is generated: n must be 1.', 'n');
  if (request.functions) return refusal('Functions are called as tools: send them in tools.', 'functions');
  if (request.modalities) return refusal('Only text is generated.', 'modalities');
  if (request.web_search_options)
    return refusal('The web is not searched for a reply.', 'web_search_options');
  return undefined;
}

function unsupportedContent({ messages }: ChatCompletionRequest, model: ModelView): ErrorPayload | undefined {
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    const part = content.findIndex(({ type }) => type !== 'text');
    if (part !== -1)
      return lacking(model, 'content other than text', `messages[${at}].content[${part}].type`);
  }
  return undefined;
}

function unsupportedFormat(
  { response_format: format }: ChatCompletionRequest,
  model: ModelView,
): ErrorPayload | undefined {
  if (!format || format.type === 'text' || model.capabilities.structuredOutputs) return undefined;
  return lacking(model, `the response format ${format.type}`, 'response_format');
}

function unsupportedSampling(request: ChatCompletionRequest, model: ModelView): ErrorPayload | undefined {
  if (request.logprobs) return lacking(model, 'logprobs', 'logprobs');
  if (request.top_logprobs) return lacking(model, 'top_logprobs', 'top_logprobs');
  if (request.logit_bias && Object.keys(request.logit_bias).length > 0) {
    return lacking(model, 'logit_bias', 'logit_bias');
  }
  const { reasoning_effort: effort = 'none' } = request;
  if (effort === 'none' || model.capabilities.reasoning) return undefined;
  return lacking(model, 'reasoning_effort', 'reasoning_effort');
}

function unsupportedTools(
  request: ChatCompletionRequest,
  model: ModelView,
  environment: Environment,
): ErrorPayload | undefined {
  if (!request.tools) return undefined;
  const foreign = request.tools.findIndex(({ type }) => type !== 'function');
  if (foreign !== -1)
    return refusal('Only tools of the type "function" are offered.', `tools[${foreign}].type`);
  if (!model.capabilities.tools) return lacking(model, 'tools', 'tools');
  const { tool_choice: choice } = request;
  if (typeof choice === 'object' && choice.type !== 'function')
    return lacking(model, `tool_choice "${choice.type.slice(0, 40)}"`, 'tool_choice');
  if (environment.publishesToolContract) return beyondContract(request, model);
  return request.parallel_tool_calls ? unsupportedParallelCalls(request, model) : undefined;
}

/**
 * Where no contract is published, calls in parallel may be another offer's than the one whose contract is known: what else is asked must
 * be that offer's too. Strict schemas that the contract does not promise are not asked of any.
 */
function unsupportedParallelCalls(
  request: ChatCompletionRequest,
  model: ModelView,
): ErrorPayload | undefined {
  const { parallel_tool_calls: isCertified, strict_schemas: isStrict } = certifiedTools(model);
  if (isCertified) return undefined;
  if (!model.parallelCalls) return lackingParallelCalls(model);
  const { parallelBeside: beside } = model;
  if (!beside) return undefined;
  if (isStrict && !beside.strictSchemas && strictToolOf(request) !== -1) {
    return lackingParallelCalls(model, ' together with strict schemas');
  }
  const { response_format: format } = request;
  if (!format || format.type === 'text' || beside.structuredOutputs) return undefined;
  return lackingParallelCalls(model, ` together with the response format ${format.type}`);
}

function lackingParallelCalls(model: ModelView, besides = ''): ErrorPayload {
  return lacking(model, `parallel tool calls${besides}`, 'parallel_tool_calls');
}

function beyondContract(request: ChatCompletionRequest, model: ModelView): ErrorPayload | undefined {
  const certified = certifiedTools(model);
  const choice = toolChoiceOf(request);
  if (!certified.tool_choice.includes(choice)) {
    const said = request.tool_choice === undefined ? ', which is meant where none is given' : '';
    return lacking(model, `tool_choice "${choice}"${said}`, 'tool_choice');
  }
  if (request.parallel_tool_calls && !certified.parallel_tool_calls) {
    return lackingParallelCalls(model);
  }
  const strict = strictToolOf(request);
  if (strict === -1 || certified.strict_schemas) return undefined;
  return lacking(model, 'strict schemas', `tools[${strict}].function.strict`);
}
