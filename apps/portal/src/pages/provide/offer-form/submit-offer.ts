import { api, dataOf } from '../../../api/client';
import type { Offer } from '../../../supply/offer-words';
import type { SignAct } from '../use-signed-act';
import type { ReadOffer } from './read-draft';

/** Has an offer, or another version of one, signed and sends it. @throws WalletError, ApiError */
export function submitOffer(sign: SignAct, { terms, ...beside }: ReadOffer): Promise<Offer> {
  return sign('Offer', terms, (signed) =>
    dataOf(
      api.POST('/v1/offers', {
        body: {
          ...signed,
          ...beside,
          model: terms.model,
          bundle: terms.bundle,
          profile: terms.profile,
          endpoint: terms.endpoint,
          upstream_model: terms.upstreamModel,
          input_price_per_mtok: terms.inputPricePerMtok,
          output_price_per_mtok: terms.outputPricePerMtok,
          concurrency: terms.concurrency,
          context_limit: terms.contextLimit,
          first_token_timeout_ms: terms.firstTokenTimeoutMs,
          chunk_timeout_ms: terms.chunkTimeoutMs,
          expires_at: terms.expiresAt,
        },
      }),
    ),
  );
}
