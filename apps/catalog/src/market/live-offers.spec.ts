import { certifiedOffer } from '../publication/certified-offer.for-spec';
import { Markets } from '../publication/markets';
import type { DefinedModel } from '../publication/publication.store';
import { LiveOffers } from './live-offers';

const now = new Date('2026-11-21T12:00:00Z');
const model: DefinedModel = {
  id: 'svc/tiny@1',
  ownedBy: 'tests',
  contextLimit: 8_192,
  capabilities: {
    ...{ workload: 'chat', tools: true, structuredOutputs: true, reasoning: false, streaming: true },
    maxOutputTokens: 4_096,
  },
  createdAt: now,
};

function offersOf(prices: Record<string, [input: string, output: string]>): LiveOffers {
  const offers = Object.entries(prices).map(([offerId, [inputPricePerMtok, outputPricePerMtok]]) =>
    certifiedOffer({ offerId, inputPricePerMtok, outputPricePerMtok }),
  );
  return new LiveOffers(new Markets(offers, [model], now));
}

const idsOf = (offers: LiveOffers) => offers.of('svc/tiny@1').map(({ offerId }) => offerId);

describe('LiveOffers', () => {
  it('has the cheapest first, by three parts of input and one of output', () => {
    const offers = offersOf({
      ofr_dear: ['200', '200'],
      ofr_free_input: ['0', '900'],
      ofr_cheap: ['100', '100'],
    });
    expect(idsOf(offers)).toEqual(['ofr_cheap', 'ofr_dear', 'ofr_free_input']);
    expect(idsOf(offers)).toEqual(['ofr_cheap', 'ofr_dear', 'ofr_free_input']);
  });

  it('has equals in the order of their ids, so that pages fit each other', () => {
    expect(idsOf(offersOf({ ofr_b: ['1', '1'], ofr_c: ['1', '1'], ofr_a: ['1', '1'] }))).toEqual([
      'ofr_a',
      'ofr_b',
      'ofr_c',
    ]);
  });

  it('has none of what is not live, or of a model that nobody serves', () => {
    const suspended = certifiedOffer({ offerId: 'ofr_x' }, { suspensionReason: 'because' });
    const offers = new LiveOffers(new Markets([suspended], [model], now));
    expect([idsOf(offers), offers.of('svc/none@1')]).toEqual([[], []]);
  });
});
