import type { CertifiedScope } from '@svc/contracts';

/** The terms that a certification is about. */
export interface CertifiableTerms {
  endpoint: string;
  upstreamModel: string;
  /** Sealed. */
  credential: string | null;
  concurrency: number;
  contextLimit: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
}

/** The version of an offer that is certified. */
export interface CertifiedVersion {
  terms: CertifiableTerms;
  scope: Pick<CertifiedScope, 'concurrency'>;
  certifiedUntil: Date;
}

/**
 * Whether what was certified still holds for a new version: nothing differs that was probed. Its price, its end, and taking fewer
 * requests at once are no reason to probe again.
 * @param live undefined when nothing is certified, or the offer was withdrawn meanwhile
 */
export function carriesOver(
  live: CertifiedVersion | undefined,
  next: CertifiableTerms,
  now: Date,
): live is CertifiedVersion {
  if (!live || live.certifiedUntil <= now) return false;
  if (next.concurrency > Math.max(live.terms.concurrency, live.scope.concurrency)) return false;
  return isProbedTheSame({ ...live.terms, concurrency: next.concurrency }, next);
}

const PROBED = [
  'endpoint',
  'upstreamModel',
  'credential',
  'contextLimit',
  'firstTokenTimeoutMs',
  'chunkTimeoutMs',
] as const satisfies (keyof CertifiableTerms)[];

/** Whether a run that probes these terms says all there is to say of the next ones; of more requests at once it says all of fewer. */
export function isProbedTheSame(probed: CertifiableTerms, next: CertifiableTerms): boolean {
  return next.concurrency <= probed.concurrency && PROBED.every((term) => next[term] === probed[term]);
}
