import type { MarketModel } from './market-model';
import { chosenModels, filtersFrom, paramsOf } from './model-filters';

function model(
  id: string,
  changes: Partial<MarketModel['svc']> = {},
  more: Partial<MarketModel> = {},
): MarketModel {
  return {
    ...{ id, object: 'model', created: 0, owned_by: 'svc', live_offers: 1, health: {} },
    ...more,
    svc: {
      contextLimit: 8_192,
      capabilities: {
        ...{ workload: 'chat', tools: false, structuredOutputs: false, reasoning: false, streaming: true },
        maxOutputTokens: 4_096,
      },
      ...changes,
    },
  };
}

const chat = {
  workload: 'chat',
  structuredOutputs: false,
  reasoning: false,
  streaming: true,
  maxOutputTokens: 1,
} as const;
const price = (input: string, output: string) => ({
  input_price_per_mtok: input,
  output_price_per_mtok: output,
});
const small = model(
  'svc/small@1',
  { pricing: price('100000', '400000') },
  { health: { first_token_ms: 90 } },
);
const large = model(
  'svc/large@1',
  { pricing: price('900000', '900000'), contextLimit: 131_072, capabilities: { ...chat, tools: true } },
  { health: { first_token_ms: 30 }, owned_by: 'Ada' },
);
const vectors = model(
  'svc/vectors@1',
  { capabilities: { ...chat, workload: 'embedding', tools: false } },
  { live_offers: 0 },
);
const routing = model(
  'svc/cortex@1',
  {
    cortex: true,
    pricing: price('1000000', '2000000'),
    candidates: [
      { model: 'svc/small@1', contextLimit: 1, capabilities: { ...chat, tools: false }, available: true },
    ],
  },
  { live_offers: undefined },
);
const all = [vectors, large, routing, small];

const chosen = (query: string) =>
  chosenModels(all, filtersFrom(new URLSearchParams(query))).map(({ id }) => id.slice(4, -2));

describe('models', () => {
  it.each([
    ['', ['small', 'large', 'cortex', 'vectors']],
    ['sort=speed', ['large', 'small', 'cortex', 'vectors']],
    ['sort=context', ['large', 'cortex', 'small', 'vectors']],
    ['sort=name', ['cortex', 'large', 'small', 'vectors']],
    ['q=ADA', ['large']],
    ['q=svc%20sma', ['small']],
    ['can=tools', ['large']],
    ['can=tools,reasoning', []],
    ['workload=embedding', ['vectors']],
    ['max_price=175000', ['small']],
    ['max_price=174999', []],
    ['context=100000', ['large']],
    ['live=true', ['small', 'large', 'cortex']],
    [
      'sort=nonsense&workload=x&max_price=x&context=-1&can=constructor',
      ['small', 'large', 'cortex', 'vectors'],
    ],
  ])('chosen by %p', (query, ids) => {
    expect(chosen(query)).toEqual(ids);
  });

  it('which the managed fallback alone serves are sold for what it asks', () => {
    const fallback = model(
      'svc/managed@1',
      { fallback_pricing: price('150000', '200000') },
      { live_offers: 0 },
    );
    const chosenOf = (query: string) =>
      chosenModels([large, fallback, small], filtersFrom(new URLSearchParams(query))).map(({ id }) => id);
    expect(chosenOf('')).toEqual(['svc/managed@1', 'svc/small@1', 'svc/large@1']);
    expect(chosenOf('max_price=162500')).toEqual(['svc/managed@1']);
  });

  it('have their filters in the address, and nothing that is so anyway', () => {
    expect(paramsOf(filtersFrom(new URLSearchParams())).toString()).toBe('');
    const query = 'q=ada&can=tools%2Creasoning&workload=chat&max_price=5&context=8192&live=true&sort=name';
    expect(paramsOf(filtersFrom(new URLSearchParams(query))).toString()).toBe(query);
  });
});
