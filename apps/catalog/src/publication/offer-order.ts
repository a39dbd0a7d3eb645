import type { ModelDefinition } from '@svc/contracts';
import type { CertifiedTerms } from './publication.store';
import { servedLimits } from './served-limits';

type Able = Pick<CertifiedTerms, 'offerId' | 'concurrency' | 'contextLimit' | 'scope'>;
type Limits = Pick<ModelDefinition, 'contextLimit' | 'capabilities'>;

/**
 * Whether `a` was certified for more than `b`: tools; context; tokens of output; tool choices; calls in parallel; strict schemas;
 * structured outputs; argument bytes; requests at once; of equals, the one with the lower id. What comes first weighs most, so that
 * the order is a whole one and a model's contract is always one offer's. How large requests may be comes before the finer features:
 * every client has use for that, and an offer with many features must not make it less for all.
 * @param model its definition bounds what counts
 */
export function isAbler(a: Able, b: Able, model: Limits): boolean {
  for (const weight of WEIGHTS) {
    const difference = weight(a, model) - weight(b, model);
    if (difference !== 0) return difference > 0;
  }
  return a.offerId < b.offerId;
}

/** Asked one after the other: mostly the first few decide, and there are ten thousand offers to order. */
const WEIGHTS: readonly ((offer: Able, model: Limits) => number)[] = [
  ({ scope }) => Number(scope.toolContract !== null),
  (offer, model) => servedLimits(model, offer).contextLimit,
  (offer, model) => servedLimits(model, offer).maxOutputTokens,
  ({ scope }) => scope.toolContract?.tool_choice.length ?? 0,
  ({ scope }) => Number(scope.toolContract?.parallel_tool_calls ?? false),
  ({ scope }) => Number(scope.toolContract?.strict_schemas ?? false),
  ({ scope }) => Number(scope.capabilities.structuredOutputs),
  ({ scope }) => scope.toolContract?.max_argument_bytes ?? 0,
  ({ scope, concurrency }) => Math.min(concurrency, scope.concurrency),
];
