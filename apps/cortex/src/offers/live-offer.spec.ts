import type { OfferView } from '@svc/contracts';
import { byBlendedPrice, readLiveOffer } from './live-offer';

const OFFER: OfferView = {
  offerId: 'offer',
  version: 1,
  model: 'svc/tiny@1',
  provider: `0x${'a'.repeat(40)}`,
  bundleId: 'bundle',
  profileId: 'profile',
  endpoint: 'http://127.0.0.1:9/v1',
  upstreamModel: 'tiny',
  certified: { certificationId: 'crt_1', structuredOutputs: false, maxOutputTokens: 1 },
  contextLimit: 1,
  inputPricePerMtok: '0',
  outputPricePerMtok: '2500000',
  concurrency: 1,
  firstTokenTimeoutMs: 1_000,
  chunkTimeoutMs: 1_000,
};

describe('readLiveOffer', () => {
  it.each<Partial<OfferView>>([{}, { mapping: 'vendor' }, { endsAtMs: 1 }])(
    'reads an offer with %j',
    (more) => {
      expect(readLiveOffer({ ...OFFER, ...more })).toMatchObject({
        inputPricePerMtok: 0n,
        outputPricePerMtok: 2_500_000n,
      });
    },
  );

  it.each<Record<string, unknown>>([
    { offerId: 7 },
    { model: undefined },
    { inputPricePerMtok: '-1' },
    { outputPricePerMtok: 1 },
    { mapping: null },
    { endsAtMs: 0 },
    { endsAtMs: 'soon' },
    { concurrency: 0 },
    { contextLimit: undefined },
    { contextLimit: 0 },
    { certified: undefined },
    { certified: { ...OFFER.certified, maxOutputTokens: 0 } },
    { certified: { ...OFFER.certified, tools: {} } },
  ])('sees no offer in one with %j', (odd) => {
    expect(readLiveOffer({ ...OFFER, ...odd })).toBeUndefined();
  });
});

it('offers are in order by their blended price, and of equals by id, however they come', () => {
  const priced = (offerId: string, inputPricePerMtok: string) =>
    readLiveOffer({ ...OFFER, offerId, inputPricePerMtok }) ?? [];
  const offers = [priced('c', '1'), priced('a', '1000'), priced('b', '1000'), priced('d', '2000')].flat();
  expect(offers).toHaveLength(4);
  for (let turned = 0; turned < 4; turned++) {
    const mixed = [...offers.slice(turned), ...offers.slice(0, turned)];
    expect(mixed.sort(byBlendedPrice)).toEqual(offers);
    expect(mixed.reverse().sort(byBlendedPrice)).toEqual(offers);
  }
});
