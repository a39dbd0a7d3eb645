import { certifiedFor, isLive, isStandingUnknown, modelPath, priceOf } from './market-model';
import type { MarketModel, ToolContract } from './market-model';

describe('modelPath', () => {
  it('leads to a model, whatever its id holds', () => {
    expect(modelPath('svc/demo-small@1')).toBe('/models/svc/demo-small@1');
    expect(modelPath('svc/a?b#c%@1')).toBe('/models/svc/a%3Fb%23c%25@1');
  });
});

const card = {
  ...{ id: 'm', object: 'model', created: 0, owned_by: 'svc', health: {} },
  svc: { contextLimit: 1, capabilities: { workload: 'chat' } },
} as MarketModel;
const pricing = { input_price_per_mtok: '1', output_price_per_mtok: '1' };

describe('priceOf', () => {
  const sold = (svc: Partial<MarketModel['svc']>) => priceOf({ ...card, svc: { ...card.svc, ...svc } });
  const fallback = { input_price_per_mtok: '3', output_price_per_mtok: '4' };

  it('is the offers’, a ceiling where the card says so, and else the fallback’s at most', () => {
    expect(sold({ pricing, fallback_pricing: fallback })).toEqual({ pricing, isMost: false });
    expect(sold({ pricing, basis: 'ceiling' })).toEqual({ pricing, isMost: true });
    expect(sold({ fallback_pricing: fallback })).toEqual({ pricing: fallback, isMost: true });
    expect(sold({})).toBeUndefined();
  });
});

describe('certifiedFor', () => {
  const contract = { tool_choice: ['auto', 'required'] } as ToolContract;

  it.each([
    [
      { tools: true, structured_outputs: true, tool_contract: contract },
      'tools (auto, required), structured outputs',
    ],
    [{ tools: true, structured_outputs: true }, 'tools, structured outputs'],
    [{ tools: false, structured_outputs: true }, 'structured outputs'],
    [{ tools: false, structured_outputs: false }, 'text'],
  ])('says of %j: %s', (offer, words) => expect(certifiedFor(offer)).toBe(words));
});

describe('isLive', () => {
  it('goes by the offers, or by the price while nobody can say how many there are', () => {
    expect([isLive({ ...card, live_offers: 1 }), isLive({ ...card, live_offers: 0 })]).toEqual([true, false]);
    expect([isLive({ ...card, svc: { ...card.svc, pricing } }), isLive(card)]).toEqual([true, false]);
  });
});

describe('isStandingUnknown', () => {
  it('is so without a number of offers, unless the model has none of its own', () => {
    const routing = { ...card, svc: { ...card.svc, cortex: true } };
    expect([card, { ...card, live_offers: 0 }, routing].map(isStandingUnknown)).toEqual([true, false, false]);
  });
});
