import type { SignedTerms } from './offer-draft';
import type { ReadOffer } from './read-draft';

/** What was signed last, at another price: nothing else changes, so what is certified goes on serving. */
export function repriced(terms: SignedTerms, prices: { input: bigint; output: bigint }): ReadOffer {
  return {
    terms: {
      model: terms.model,
      bundle: terms.bundle,
      profile: terms.profile,
      endpoint: terms.endpoint,
      upstreamModel: terms.upstream_model,
      inputPricePerMtok: prices.input.toString(),
      outputPricePerMtok: prices.output.toString(),
      concurrency: terms.concurrency,
      contextLimit: terms.context_limit,
      firstTokenTimeoutMs: terms.first_token_timeout_ms,
      chunkTimeoutMs: terms.chunk_timeout_ms,
      expiresAt: terms.expires_at,
    },
  };
}
