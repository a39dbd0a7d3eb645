import type { ModelView } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { SvcError } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { isRouting } from '../models/listed-model';
import type { ListedModel } from '../models/listed-model';
import { defaultLimitOf, outputLimitOf } from './output-limit';
import type { PromptSize } from './output-limit';
import { unsupportedIn } from './supported-features';

/** The models that may answer a request, at least one, and how much each of them may write. */
interface AnsweringModels {
  models: readonly ModelView[];
  /** Tokens. */
  maxTokens: number;
}

/**
 * The named model alone; of the routing model, those of its candidates that can do everything the request asks.
 * @throws SvcError feature_not_supported when none can, with what the one with most features lacks
 */
export function supportingModels(
  request: ChatCompletionRequest,
  model: ListedModel,
  environment: Environment,
): readonly ModelView[] {
  const able: ModelView[] = [];
  const refused: Refused[] = [];
  for (const each of answerersOf(model)) {
    const refusal = unsupportedIn(request, each, environment);
    if (refusal) refused.push({ model: each, refusal });
    else able.push(each);
  }
  if (able.length === 0) throw refusalOf(model, refused, FEATURES);
  return able;
}

/**
 * Those of the supporting models that have room for prompt and answer. One limit holds for all, so that whichever answers keeps to what
 * was held: what the request names, or else the smallest of their defaults. A candidate whose context the prompt nearly fills is left
 * out of that while another has room: it would cut everybody's answer short.
 * @param supporting as `supportingModels` returned them
 * @throws SvcError invalid_request when none has room, with the limit of the largest
 */
export function roomyModels(
  request: ChatCompletionRequest,
  model: ListedModel,
  supporting: readonly ModelView[],
  size: PromptSize,
): AnsweringModels {
  const fitting: Fitting[] = [];
  const refused: Refused[] = [];
  for (const each of supporting) {
    const limit = outputLimitOf(request, each, size);
    if (typeof limit === 'number') fitting.push({ model: each, limit });
    else refused.push({ model: each, refusal: limit });
  }
  if (fitting.length === 0) throw refusalOf(model, refused, SIZE);
  const roomy = withoutCramped(fitting);
  return {
    models: roomy.map((one) => one.model),
    maxTokens: Math.min(...roomy.map(({ limit }) => limit)),
  };
}

interface Fitting {
  model: ModelView;
  /** Tokens. */
  limit: number;
}

interface Refused {
  model: ModelView;
  refusal: ErrorPayload;
}

function answerersOf(model: ListedModel): readonly ModelView[] {
  return isRouting(model) ? model.candidates : [model];
}

/** Those that may write as much as any, or half of what they could under a short prompt. With a limit of its own a request leaves all. */
function withoutCramped(fitting: readonly Fitting[]): readonly Fitting[] {
  if (fitting.length === 1) return fitting;
  const most = Math.max(...fitting.map(({ limit }) => limit));
  return fitting.filter(({ model, limit }) => limit === most || 2 * limit >= defaultLimitOf(model));
}

/** In the order of their weight. */
type Weights = readonly ((model: ModelView) => number)[];

const FEATURES: Weights = [
  ({ capabilities }) => Number(capabilities.tools),
  ({ toolContract }) => toolContract?.tool_choice.length ?? 0,
  ({ toolContract }) => Number(toolContract?.parallel_tool_calls ?? false),
  ({ toolContract }) => Number(toolContract?.strict_schemas ?? false),
  ({ capabilities }) => Number(capabilities.structuredOutputs),
  ({ capabilities }) => Number(capabilities.reasoning),
  ({ capabilities }) => Number(capabilities.streaming),
];

const SIZE: Weights = [
  ({ contextLimit }) => contextLimit,
  ({ capabilities }) => capabilities.maxOutputTokens,
];

/** What the named model was refused with; of the routing model's candidates the ablest, of equals the first. */
function refusalOf(model: ListedModel, refused: readonly Refused[], weights: Weights): SvcError {
  const { refusal } = refused.reduce((best, each) =>
    isAbler(each.model, best.model, weights) ? each : best,
  );
  if (!isRouting(model)) return new SvcError(refusal);
  const message = `No candidate of "${model.id}" can take this request. ${refusal.message}`;
  return new SvcError({ ...refusal, message });
}

function isAbler(a: ModelView, b: ModelView, weights: Weights): boolean {
  for (const weight of weights) {
    const difference = weight(a) - weight(b);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
