import type { ProviderStatus } from '@svc/contracts';
import { offerCard } from '../offers/offer-card';
import type { ProviderStatusReply } from './provider-status.dto';

/** A provider as everybody may see it: every field is named here, nothing else of the catalogue's gets out. */
export function providerCard({ suspension, ...status }: ProviderStatus): ProviderStatusReply {
  return {
    provider: status.provider,
    name: status.name,
    registered_at: status.registeredAt,
    nonce: status.nonce,
    suspension: suspension && { at: suspension.at, reason: suspension.reason },
    offers: status.offers.map(offerCard),
  };
}
