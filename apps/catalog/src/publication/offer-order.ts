import type { CertifiedTerms } from './publication.store';

type Able = Pick<CertifiedTerms, 'offerId' | 'concurrency' | 'scope'>;

/**
 * Whether `a` was certified for more than `b`: tools; tool choices; calls in parallel; strict schemas; structured outputs; argument
 * bytes; requests at once; of equals, the one with the lower id. What comes first weighs most, so that the order is a whole one and
 * a model's contract is always one offer's.
 */
export function isAbler(a: Able, b: Able): boolean {
  for (const weight of WEIGHTS) {
    const difference = weight(a) - weight(b);
    if (difference !== 0) return difference > 0;
  }
  return a.offerId < b.offerId;
}

/** Asked one after the other: mostly the first few decide, and there are ten thousand offers to order. */
const WEIGHTS: readonly ((offer: Able) => number)[] = [
  ({ scope }) => Number(scope.toolContract !== null),
  ({ scope }) => scope.toolContract?.tool_choice.length ?? 0,
  ({ scope }) => Number(scope.toolContract?.parallel_tool_calls ?? false),
  ({ scope }) => Number(scope.toolContract?.strict_schemas ?? false),
  ({ scope }) => Number(scope.capabilities.structuredOutputs),
  ({ scope }) => scope.toolContract?.max_argument_bytes ?? 0,
  ({ scope, concurrency }) => Math.min(concurrency, scope.concurrency),
];
