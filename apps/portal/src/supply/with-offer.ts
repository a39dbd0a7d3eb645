import type { Offer } from './offer-words';

/** Offers with one as the market has just answered for it, where what was read of them is of before. */
export function withOffer(offers: readonly Offer[], news: Offer): Offer[] {
  const known = offers.find(({ offer_id: id }) => id === news.offer_id);
  if (known !== undefined && known.version >= news.version) return [...offers];
  return [news, ...offers.filter((offer) => offer !== known)];
}
