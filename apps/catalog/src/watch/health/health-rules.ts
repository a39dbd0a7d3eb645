import type { HealthReport } from '@svc/contracts';
import type { WatchCode } from '../watch-codes';
import type { HealthFigures } from './offer-estimate';

/** From this share of failed attempts on an offer is failing, once so many attempts say so (old ones counting less). */
export const FAILING = { errorRate: 0.5, weight: 20 } as const;
/** From this share of replies that must not be delivered on an offer's output is invalid; fewer say enough. */
export const INVALID_OUTPUT = { invalidRate: 0.2, weight: 10 } as const;
/** Where so many offers were tried at once and not one request succeeded, the fault is nearer to us than to them. */
const OFFERS_TO_DOUBT_OURSELVES = 10;

/** Whether a report tells of a fault of our own, e.g. a dispatch that has lost its way to the outside: it is held against nobody. */
export function isOurFault({ offers }: HealthReport): boolean {
  const tried = offers.filter(({ succeeded, failed }) => succeeded + failed > 0);
  return tried.length >= OFFERS_TO_DOUBT_OURSELVES && tried.every(({ succeeded }) => succeeded === 0);
}

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
