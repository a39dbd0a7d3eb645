import type { WatchCode } from '../watch-codes';
import type { HealthFigures } from './offer-estimate';

/** From this share of failed attempts on an offer is failing, once so many attempts say so (old ones counting less). */
export const FAILING = { errorRate: 0.5, weight: 20 } as const;
/** From this share of replies that must not be delivered on an offer's output is invalid; fewer say enough. */
export const INVALID_OUTPUT = { invalidRate: 0.2, weight: 10 } as const;

/** What speaks against an offer. */
export interface HealthVerdict {
  code: WatchCode;
  /** For the provider, in words. */
  reason: string;
}

/** @returns undefined while nothing speaks against the offer, or too little is known */
export function judgeHealth({
  weight,
  errorRate = 0,
  invalidRate = 0,
}: HealthFigures): HealthVerdict | undefined {
  const of = `of about ${Math.round(weight)} recent requests`;
  // Invalid replies are failures too: of the two, this says more.
  if (weight >= INVALID_OUTPUT.weight && invalidRate >= INVALID_OUTPUT.invalidRate) {
    return {
      code: 'invalid_output',
      reason: `${percent(invalidRate)} ${of} were answered with what must not be delivered`,
    };
  }
  if (weight >= FAILING.weight && errorRate >= FAILING.errorRate) {
    return { code: 'failing', reason: `${percent(errorRate)} ${of} failed` };
  }
  return undefined;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
