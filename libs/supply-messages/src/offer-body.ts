import type { OfferMessage } from './typed-data';

/**
 * What an offer says, in the names of `POST /v1/offers`. The provider, its nonce and the signature are of every act and stand beside it.
 */
export function offerBodyOf(offer: Omit<OfferMessage, 'provider' | 'nonce'>) {
  return {
    model: offer.model,
    bundle: offer.bundle,
    profile: offer.profile,
    endpoint: offer.endpoint,
    upstream_model: offer.upstreamModel,
    input_price_per_mtok: offer.inputPricePerMtok,
    output_price_per_mtok: offer.outputPricePerMtok,
    concurrency: offer.concurrency,
    context_limit: offer.contextLimit,
    first_token_timeout_ms: offer.firstTokenTimeoutMs,
    chunk_timeout_ms: offer.chunkTimeoutMs,
    expires_at: offer.expiresAt,
  };
}
