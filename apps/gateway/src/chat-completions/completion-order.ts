import type { ModelView, RequestNeeds, RoutingTerms } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { invalidRequest } from '@svc/errors';
import { areNoArguments, parseChatCompletionRequest } from '@svc/openai-api';
import type { ChatCompletionRequest, ChatMessage } from '@svc/openai-api';
import type { JsonBody } from '../http/json-body';
import { isRouting } from '../models/listed-model';
import type { ListedModel } from '../models/listed-model';
import { roomyModels, supportingModels } from './answering-models';
import { needsOf } from './request-needs';
import { runBodyOf } from './run-body';

/** Room that a run's message needs beside the body: plan, hold, ids, protocol. */
const ENVELOPE_BYTES = 64 * 1024;

/** What a valid request asks for, ready to be planned, paid and run. */
export interface CompletionOrder {
  /** As the client named it. */
  model: string;
  /** Of a request to the routing model. */
  routing: RoutingTerms | undefined;
  stream: boolean;
  includeUsage: boolean;
  /** Upper bound on the prompt, tokens. */
  inputEstimate: number;
  /** The least that the prompt is likely to need, tokens. */
  inputLeast: number;
  /** The most that may be generated, tokens. */
  maxTokens: number;
  /** What it asks for beyond text. */
  needs: RequestNeeds | undefined;
  /** The body for the provider as JSON. */
  bodyJson: string;
}

interface OrderTerms {
  findModel: (id: string) => ListedModel;
  environment: Environment;
  /** @throws SvcError no_capacity when nothing could be passed on now, nor can be known how much at once */
  assertReachable: () => void;
  /** The largest message that NATS takes. */
  maxPayloadBytes: () => number;
}

/**
 * Checks everything about a request of the right shape that needs nobody else, in the order in which refusals are told:
 * model, features, limits. The request itself is brought into the form in which providers are sent it. Called twice it says the same.
 * @throws SvcError invalid_request, model_not_found, feature_not_supported; no_capacity before the models are
 *   known, and while NATS is away
 */
export function placeOrder(request: ChatCompletionRequest, terms: OrderTerms): CompletionOrder {
  const model = terms.findModel(request.model);
  const supporting = supportingModels(request, model, terms.environment);
  switchOffUncertified(request, supporting);
  dropThinking(request, supporting);
  for (const message of request.messages) makePlain(message);
  const { json, bytes, ...size } = runBodyOf(request);
  const { models, maxTokens } = roomyModels(request, model, supporting, size);
  terms.assertReachable();
  if (bytes > terms.maxPayloadBytes() - ENVELOPE_BYTES) {
    throw invalidRequest('The request is larger than what can be passed on.', undefined, 413);
  }
  return {
    model: model.id,
    routing: routingTermsOf(model, models),
    stream: request.stream ?? false,
    includeUsage: includesUsage(request),
    ...size,
    maxTokens,
    needs: needsOf(request, models),
    bodyJson: json,
  };
}

/** Whether each chunk of a stream is to have `usage`. */
export function includesUsage({ stream_options: options }: ChatCompletionRequest): boolean {
  return options?.include_usage ?? false;
}

/**
 * Checks the shape of a body.
 * @throws SvcError invalid_request
 */
export function readRequest(body: JsonBody): ChatCompletionRequest {
  if (!body.ok) throw body.error;
  const parsed = parseChatCompletionRequest(body.value);
  if (parsed.ok) return parsed.value;
  const { path, message } = parsed.problem;
  throw invalidRequest(`${path || 'The request body'} ${message}.`, path || undefined);
}

/**
 * Providers call in parallel unless told not to; where that was never certified, of one model that may answer, they are told. Whoever asks
 * for it by name gets it: only offers that are certified for it are planned then.
 */
function switchOffUncertified(request: ChatCompletionRequest, models: readonly ModelView[]): void {
  if (!request.tools || request.parallel_tool_calls) return;
  if (models.every((model) => (model.toolContract?.parallel_tool_calls ?? model.parallelCalls) === true))
    return;
  request.parallel_tool_calls = false;
}

/**
 * What a model thought is part of the prompt of models that think, some of which refuse their own calls without it; dispatch knows which
 * server takes it. Others are not told, and nobody pays for telling them. Nor is who does not think asked not to: some refuse the field.
 */
function dropThinking(request: ChatCompletionRequest, models: readonly ModelView[]): void {
  if (!models.every(({ capabilities }) => capabilities.reasoning) && request.reasoning_effort === 'none') {
    delete request.reasoning_effort;
  }
  if (models.some(({ capabilities }) => capabilities.reasoning)) return;
  for (const message of request.messages) {
    delete message.reasoning_content;
    for (const call of message.tool_calls ?? []) delete call.extra_content;
  }
}

/** As most servers take it. An idempotency key's digest is made before, and stands from one version to the next. */
function makePlain(message: ChatMessage): void {
  message.content = plainestOf(message.content);
  for (const { function: called } of message.tool_calls ?? []) {
    if (areNoArguments(called.arguments)) called.arguments = '{}';
  }
}

/** DeepSeek's servers, among others, take no list; how one of several texts is to be joined only their own can know. */
function plainestOf(content: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(content) || content.length !== 1) return content;
  return content[0]?.text ?? content;
}

function routingTermsOf(model: ListedModel, models: readonly ModelView[]): RoutingTerms | undefined {
  if (!isRouting(model)) return undefined;
  const { inputPricePerMtok, outputPricePerMtok } = model.ceiling;
  return {
    candidates: models.map(({ id }) => id),
    maxInputPricePerMtok: inputPricePerMtok,
    maxOutputPricePerMtok: outputPricePerMtok,
  };
}
