import type { DefinedBuilds, SignedOfferTerms } from '@svc/contracts';
import type { BuildsReply, SignedTermsReply } from './own-offers.dto';

/** Every field is named here: nothing else of the catalogue's gets out. */
export function signedTermsCard(terms: SignedOfferTerms): SignedTermsReply {
  return {
    offer_id: terms.offerId,
    version: terms.version,
    model: terms.model,
    bundle: terms.bundle,
    profile: terms.profile,
    endpoint: terms.endpoint,
    has_credential: terms.hasCredential,
    upstream_model: terms.upstreamModel,
    input_price_per_mtok: terms.inputPricePerMtok,
    output_price_per_mtok: terms.outputPricePerMtok,
    concurrency: terms.concurrency,
    context_limit: terms.contextLimit,
    first_token_timeout_ms: terms.firstTokenTimeoutMs,
    chunk_timeout_ms: terms.chunkTimeoutMs,
    expires_at: terms.expiresAt,
  };
}

export function buildsCard({ bundles, profiles }: DefinedBuilds): BuildsReply {
  return {
    bundles: bundles.map(({ id, weightsDigest, quantisation, engine }) => ({
      id,
      weights_digest: weightsDigest,
      quantisation,
      engine,
    })),
    profiles: profiles.map(({ id, hardwareClass, contextLimit, speedTier }) => ({
      id,
      hardware_class: hardwareClass,
      context_limit: contextLimit,
      speed_tier: speedTier,
    })),
  };
}
