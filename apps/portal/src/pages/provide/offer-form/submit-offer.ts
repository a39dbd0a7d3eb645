import { offerBodyOf } from '@svc/supply-messages';
import { api, dataOf } from '../../../api/client';
import type { Offer } from '../../../supply/offer-words';
import type { SignAct } from '../use-signed-act';
import type { ReadOffer } from './read-draft';

/** Has an offer, or another version of one, signed and sends it. @throws WalletError, ApiError */
export function submitOffer(sign: SignAct, { terms, ...beside }: ReadOffer): Promise<Offer> {
  return sign('Offer', terms, (signed) =>
    dataOf(
      api.POST('/v1/offers', {
        body: { ...signed, ...beside, ...offerBodyOf(terms) },
      }),
    ),
  );
}
