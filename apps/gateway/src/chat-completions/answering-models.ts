import type { ModelView } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { SvcError } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { isRouting } from '../models/listed-model';
import type { ListedModel } from '../models/listed-model';
import { defaultLimitOf, outputLimitOf } from './output-limit';
import { assertSupported } from './supported-features';

/** The models that may answer a request, at least one, and how much each of them may write. */
export interface AnsweringModels {
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
  const assertOn = (each: ModelView) => assertSupported(request, each, environment);
  if (!isRouting(model)) {
    assertOn(model);
    return [model];
  }
  const { passed, refused } = tryEach(model.candidates, assertOn);
  if (passed.length === 0) throw refusalOf(model.id, refused, FEATURES);
  return passed.map((one) => one.model);
}

/**
 * Those of the supporting models that have room for prompt and answer. One limit holds for all, so that whichever answers keeps to what
 * was held: what the request names, or else the smallest of their defaults. A candidate whose context the prompt nearly fills is left
 * out of that while another has room: it would cut everybody's answer short.
 * @param supporting as `supportingModels` returned them
 * @param inputEstimate upper bound on the prompt, tokens
 * @throws SvcError invalid_request when none has room, with the limit of the largest
 */
export function roomyModels(
  request: ChatCompletionRequest,
  model: ListedModel,
  supporting: readonly ModelView[],
  inputEstimate: number,
): AnsweringModels {
  const limitOn = (each: ModelView) => outputLimitOf(request, each, inputEstimate);
  if (!isRouting(model)) {
    const [named] = supporting as [ModelView];
    return { models: supporting, maxTokens: limitOn(named) };
  }
  const { passed, refused } = tryEach(supporting, limitOn);
  if (passed.length === 0) throw refusalOf(model.id, refused, SIZE);
  const kept = withoutCramped(passed);
  return {
    models: kept.map((one) => one.model),
    maxTokens: Math.min(...kept.map(({ result }) => result)),
  };
}

interface Passed<T> {
  model: ModelView;
  result: T;
}

interface Refused {
  model: ModelView;
  refusal: SvcError;
}

function tryEach<T>(models: readonly ModelView[], check: (model: ModelView) => T) {
  const passed: Passed<T>[] = [];
  const refused: Refused[] = [];
  for (const model of models) {
    try {
      passed.push({ model, result: check(model) });
    } catch (refusal) {
      if (!SvcError.is(refusal)) throw refusal;
      refused.push({ model, refusal });
    }
  }
  return { passed, refused };
}

/** Those that may write as much as any, or half of what they could under a short prompt. With a limit of its own a request leaves all. */
function withoutCramped(passed: Passed<number>[]): Passed<number>[] {
  const most = Math.max(...passed.map(({ result }) => result));
  return passed.filter(({ model, result }) => result === most || 2 * result >= defaultLimitOf(model));
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

/** What the ablest was refused with; of equals the first. */
function refusalOf(routingModel: string, refused: readonly Refused[], weights: Weights): SvcError {
  const { refusal } = refused.reduce((best, each) =>
    isAbler(each.model, best.model, weights) ? each : best,
  );
  const { message } = refusal;
  return new SvcError({
    ...refusal.payload,
    message: `No candidate of "${routingModel}" can take this request. ${message}`,
  });
}

function isAbler(a: ModelView, b: ModelView, weights: Weights): boolean {
  for (const weight of weights) {
    const difference = weight(a) - weight(b);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
