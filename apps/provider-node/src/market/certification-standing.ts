import type { OfferReply } from './market-replies';

/** Whether an offer is off the market because its certification ended before another one passed. */
export function isCertificationOver({ state, reason }: OfferReply): boolean {
  return state === 'suspended' && reason?.code === 'certification_expired';
}

/** Whether a full certification of it waits or is under way. */
export function isBeingCertified({ certification }: OfferReply): boolean {
  return (
    certification?.kind === 'full' &&
    (certification.status === 'queued' || certification.status === 'running')
  );
}
