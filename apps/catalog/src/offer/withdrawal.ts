import type { WithdrawOfferRequest } from '@svc/contracts';
import { conflict, notFound } from '@svc/errors';
import { requireNonce, requireRegistered } from '../provider/provider-act';
import type { ActingProvider } from '../provider/provider-act';

/** @throws SvcError invalid_request (404 `provider`, `offerId`; 400 `nonce`; 409 `nonce`, `offerId`) */
export function requireWithdrawable(
  { provider, nonce, offerId }: Pick<WithdrawOfferRequest, 'provider' | 'nonce' | 'offerId'>,
  acting: ActingProvider | undefined,
  offer: { provider: string; withdrawnAt: Date | null } | undefined,
): void {
  // A suspended provider may leave.
  requireNonce(requireRegistered(acting, provider), nonce);
  // The same words for another provider's: nobody learns which offers there are.
  if (offer?.provider !== provider) {
    throw notFound(`The provider has no offer ${offerId}.`, 'offerId');
  }
  if (!offer.withdrawnAt) return;
  throw conflict(`The offer ${offerId} is withdrawn already.`, 'offerId');
}
