import type { DueOffer } from './due-heartbeats.store';

/** Offers of one provider at one endpoint: one question answers for all of them. */
export type EndpointGroup = readonly [DueOffer, ...DueOffer[]];

export function groupByEndpoint(offers: readonly DueOffer[]): EndpointGroup[] {
  const groups = new Map<string, [DueOffer, ...DueOffer[]]>();
  for (const offer of offers) {
    const key = `${offer.provider} ${offer.endpoint}`;
    const group = groups.get(key);
    if (group) group.push(offer);
    else groups.set(key, [offer]);
  }
  return [...groups.values()];
}
