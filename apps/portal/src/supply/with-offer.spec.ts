import type { Offer } from './offer-words';
import { withOffer } from './with-offer';

const offer = (offer_id: string, version: number) => ({ offer_id, version }) as Offer;
const read = [offer('a', 1), offer('b', 3)];

describe('withOffer', () => {
  it.each([
    ['has one that was not read yet', offer('c', 1), ['c1', 'a1', 'b3']],
    ['has a newer version in its place', offer('b', 4), ['b4', 'a1']],
    ['keeps what was read of the same version, or of a newer one', offer('b', 3), ['a1', 'b3']],
  ])('%s', (_, news, expected) => {
    const offers = withOffer(read, news);
    expect(offers.map(({ offer_id, version }) => `${offer_id}${version}`)).toEqual(expected);
  });
});
