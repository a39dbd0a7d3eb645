import type { CertifiedTerms } from './publication.store';

type Able = Pick<CertifiedTerms, 'offerId' | 'concurrency' | 'scope'>;

/**
 * Whether `a` was certified for more than `b`: tools; tool choices; calls in parallel; strict schemas; structured outputs; argument
 * bytes; requests at once; of equals, the one with the lower id. What comes first weighs most, so that the order is a whole one and
 * a model's contract is always one offer's.
 */
export function isAbler(a: Able, b: Able): boolean {
  const [left, right] = [weigh(a), weigh(b)];
  for (const [index, weight] of left.entries()) {
    const other = right[index] ?? 0;
    if (weight !== other) return weight > other;
  }
  return a.offerId < b.offerId;
}

function weigh({ concurrency, scope }: Able): number[] {
  const { capabilities, toolContract } = scope;
  return [
    Number(toolContract !== null),
    toolContract?.tool_choice.length ?? 0,
    Number(toolContract?.parallel_tool_calls ?? false),
    Number(toolContract?.strict_schemas ?? false),
    Number(capabilities.structuredOutputs),
    toolContract?.max_argument_bytes ?? 0,
    Math.min(concurrency, scope.concurrency),
  ];
}
