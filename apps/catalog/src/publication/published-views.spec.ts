import { catalogKey } from '@svc/contracts';
import type { ModelView, OfferDefinition, OfferView } from '@svc/contracts';
import { modelOf, offerOf, wholeRequest } from '../catalogue/catalogue.for-spec';
import { planChanges } from '../catalogue/plan-changes';
import { computeViews } from './published-views';

function viewsOf(offers: OfferDefinition[]) {
  const none = new Map<string, never>();
  const nothing = { models: none, bundles: none, profiles: none, providers: none, offers: none };
  const { result } = planChanges(nothing, wholeRequest({ offers }));
  return computeViews({
    ...result,
    modelCreatedAt: new Map([[MODEL, new Date('2026-11-21T00:00:00.999Z')]]),
  });
}

const MODEL = 'svc/tiny@1';

function modelView(offers: OfferDefinition[]): ModelView {
  return JSON.parse(viewsOf(offers).models.get(catalogKey(MODEL)) ?? 'null') as ModelView;
}

const priced = (id: string, input: string, output: string, active = true) =>
  offerOf({ id, inputPricePerMtok: input, outputPricePerMtok: output, active });

describe('computeViews', () => {
  it('shows a model without a price while nobody serves it', () => {
    for (const view of [modelView([]), modelView([offerOf({ active: false })])]) {
      expect(view).toEqual({ ...modelOf(), created: 1_795_219_200 });
    }
  });

  it('shows the prices of the one live offer with the lowest input price, then output price', () => {
    const { pricing } = modelView([
      priced('a', '200000', '1'),
      priced('b', '99999', '900000'),
      priced('c', '99999', '800000'),
      priced('d', '100000', '500000'),
      priced('e', '1', '1', false),
    ]);
    expect(pricing).toEqual({ inputPricePerMtok: '99999', outputPricePerMtok: '800000' });
  });

  it('compares prices as numbers, not as text', () => {
    expect(modelView([priced('a', '9', '1'), priced('b', '10', '1')]).pricing?.inputPricePerMtok).toBe('9');
  });

  it('shows live offers only, with the model they serve and the context of their profile', () => {
    const { offers } = viewsOf([offerOf(), offerOf({ id: 'offer-2', active: false })]);
    expect([...offers.keys()]).toEqual([catalogKey('offer-1')]);
    const view = JSON.parse(offers.get(catalogKey('offer-1')) ?? 'null') as OfferView;
    const offer = offerOf();
    expect(view).toEqual({
      offerId: offer.id,
      model: MODEL,
      provider: offer.provider,
      bundleId: offer.bundle,
      profileId: offer.profile,
      endpoint: offer.endpoint,
      upstreamModel: offer.upstreamModel,
      contextLimit: 8_192,
      inputPricePerMtok: offer.inputPricePerMtok,
      outputPricePerMtok: offer.outputPricePerMtok,
      concurrency: offer.concurrency,
      firstTokenTimeoutMs: offer.firstTokenTimeoutMs,
      chunkTimeoutMs: offer.chunkTimeoutMs,
    });
  });

  it('says the same again for the same catalogue, byte for byte', () => {
    expect(viewsOf([offerOf()])).toEqual(viewsOf([offerOf()]));
  });
});
