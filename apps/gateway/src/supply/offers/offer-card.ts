import type { CertificationProgress, OfferHealth, OfferStatus } from '@svc/contracts';
import type { CertificationProgressReply, OfferHealthReply, OfferStatusReply } from './offer-status.dto';

/** An offer as everybody may see it: every field is named here, nothing else of the catalogue's gets out. */
export function offerCard(offer: OfferStatus): OfferStatusReply {
  const { reason, suspensionReason, certificationId, certification } = offer;
  return {
    offer_id: offer.offerId,
    provider: offer.provider,
    model: offer.model,
    bundle: offer.bundle,
    profile: offer.profile,
    version: offer.version,
    live_version: offer.liveVersion,
    input_price_per_mtok: offer.inputPricePerMtok,
    output_price_per_mtok: offer.outputPricePerMtok,
    concurrency: offer.concurrency,
    context_limit: offer.contextLimit,
    expires_at: offer.expiresAt,
    state: offer.state,
    ...(reason && { reason: { code: reason.code, message: reason.message } }),
    ...(suspensionReason !== undefined && { suspension_reason: suspensionReason }),
    ...(certificationId !== undefined && { certification_id: certificationId }),
    ...(certification && { certification: progressCard(certification) }),
    health: healthCard(offer.health),
  };
}

function progressCard(progress: CertificationProgress): CertificationProgressReply {
  const { refusal } = progress;
  return {
    certification_id: progress.certificationId,
    kind: progress.kind,
    status: progress.status,
    done: progress.done,
    total: progress.total,
    ...(refusal && { refusal: { probe: refusal.probe, message: refusal.message } }),
  };
}

/** As exact as anybody can use. What is not known is absent: JSON leaves undefined out. */
export function healthCard(health: OfferHealth): OfferHealthReply {
  return {
    error_rate: rounded(health.errorRate, 4),
    invalid_rate: rounded(health.invalidRate, 4),
    first_token_ms: rounded(health.firstTokenMs, 0),
    tokens_per_second: rounded(health.tokensPerSecond, 1),
    last_seen_at: health.lastSeenAt,
  };
}

function rounded(value: number | undefined, digits: number): number | undefined {
  return value === undefined ? undefined : Number(value.toFixed(digits));
}
