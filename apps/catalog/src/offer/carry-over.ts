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
  const { concurrency, ...rest } = next;
  if (concurrency > Math.max(live.terms.concurrency, live.scope.concurrency)) return false;
  return (Object.keys(rest) as (keyof typeof rest)[]).every((term) => rest[term] === live.terms[term]);
}
