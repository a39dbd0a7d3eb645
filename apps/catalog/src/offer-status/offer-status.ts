import type { CertificationKind, CertificationStatus, OfferHealth, OfferStatus } from '@svc/contracts';
import { offerState } from '../offer-state/offer-state';
import type { OfferFacts } from '../offer-state/offer-state';
import { aboveCeiling } from '../offer-state/price-ceiling';
import type { OfferPrices, PriceCeilings } from '../offer-state/price-ceiling';

/** An offer with the terms of its newest version and its newest certification, as it is read. */
export interface OfferRow extends Omit<OfferFacts, 'refusal' | 'aboveCeiling'> {
  offerId: string;
  provider: string;
  model: string;
  bundle: string;
  profile: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  /** Of the version that serves, and the most that operators let offers of the model ask. */
  livePrices: OfferPrices | null;
  ceilings: { [K in keyof PriceCeilings]-?: string | null };
  concurrency: number;
  contextLimit: number;
  certificationId: string | null;
  lastSeenAt: Date | null;
  /** The newest full certification; absent only while the offer is being made. */
  newest: CertificationRow | null;
}

interface CertificationRow {
  certificationId: string;
  kind: CertificationKind;
  status: CertificationStatus;
  done: number;
  total: number;
  refusalProbe: string | null;
  refusalMessage: string | null;
}

/** What a provider is told of an offer. */
export function offerStatus(row: OfferRow, now: Date, traffic: OfferHealth = {}): OfferStatus {
  const facts = {
    ...row,
    aboveCeiling: aboveCeilingOf(row),
    refusal: row.newest && refusalOf(row.newest),
  };
  const lastSeenAt = row.lastSeenAt?.toISOString();
  return {
    offerId: row.offerId,
    provider: row.provider,
    model: row.model,
    bundle: row.bundle,
    profile: row.profile,
    version: row.version,
    liveVersion: row.liveVersion,
    inputPricePerMtok: row.inputPricePerMtok,
    outputPricePerMtok: row.outputPricePerMtok,
    concurrency: row.concurrency,
    contextLimit: row.contextLimit,
    expiresAt: row.expiresAt.toISOString(),
    ...offerState(facts, now),
    ...(row.suspensionReason !== null && { suspensionReason: row.suspensionReason }),
    ...(row.certificationId !== null && { certificationId: row.certificationId }),
    ...(row.newest && { certification: progressOf(row.newest) }),
    health: { ...(lastSeenAt !== undefined && { lastSeenAt }), ...traffic },
  };
}

function aboveCeilingOf({ livePrices, ceilings }: OfferRow): string | null {
  if (!livePrices) return null;
  const { maxInputPricePerMtok: input, maxOutputPricePerMtok: output } = ceilings;
  const known = {
    ...(input !== null && { maxInputPricePerMtok: input }),
    ...(output !== null && { maxOutputPricePerMtok: output }),
  };
  return aboveCeiling(livePrices, known)?.message ?? null;
}

function progressOf(newest: CertificationRow) {
  const { certificationId, kind, status, done, total } = newest;
  const refusal = refusalOf(newest);
  return { certificationId, kind, status, done, total, ...(refusal && { refusal }) };
}

function refusalOf({ refusalProbe: probe, refusalMessage: message }: CertificationRow) {
  return probe === null || message === null ? null : { probe, message };
}
