import { isLive, priceOf } from './market-model';
import type { MarketModel } from './market-model';

export const CAPABILITIES = ['tools', 'structuredOutputs', 'reasoning', 'streaming'] as const;
type Capability = (typeof CAPABILITIES)[number];

export const CAPABILITY_WORDS: Record<Capability, string> = {
  tools: 'Tools',
  structuredOutputs: 'Structured outputs',
  reasoning: 'Reasoning',
  streaming: 'Streaming',
};

export const SORTS = {
  price: 'Cheapest first',
  speed: 'Fastest first token',
  context: 'Largest context',
  name: 'Name',
} as const;
export type Sort = keyof typeof SORTS;

export interface ModelFilters {
  text: string;
  capabilities: Capability[];
  workload: 'all' | 'chat' | 'embedding';
  /** The most for a million tokens of an ordinary request, base units; null is any. */
  maxPrice: bigint | null;
  /** Tokens. */
  minContext: number;
  liveOnly: boolean;
  sort: Sort;
}

export const NO_FILTERS: ModelFilters = {
  ...{
    text: '',
    capabilities: [],
    workload: 'all',
    maxPrice: null,
    minContext: 0,
    liveOnly: false,
    sort: 'price',
  },
};

/** As they stand in the address, so that a view can be shared and gone back to. */
export function filtersFrom(params: URLSearchParams): ModelFilters {
  const workload = params.get('workload');
  const sort = params.get('sort') ?? '';
  const maxPrice = params.get('max_price') ?? '';
  return {
    text: params.get('q') ?? '',
    capabilities: CAPABILITIES.filter((each) => (params.get('can') ?? '').split(',').includes(each)),
    workload: workload === 'chat' || workload === 'embedding' ? workload : 'all',
    maxPrice: /^\d{1,18}$/.test(maxPrice) ? BigInt(maxPrice) : null,
    minContext: Number(/^\d{1,9}$/.exec(params.get('context') ?? '')?.[0] ?? 0),
    liveOnly: params.get('live') === 'true',
    sort: sort in SORTS ? (sort as Sort) : 'price',
  };
}

/** @returns what is not said by default */
export function paramsOf(filters: ModelFilters): URLSearchParams {
  const params = new URLSearchParams();
  if (filters.text !== '') params.set('q', filters.text);
  if (filters.capabilities.length > 0) params.set('can', filters.capabilities.join(','));
  if (filters.workload !== 'all') params.set('workload', filters.workload);
  if (filters.maxPrice !== null) params.set('max_price', String(filters.maxPrice));
  if (filters.minContext > 0) params.set('context', String(filters.minContext));
  if (filters.liveOnly) params.set('live', 'true');
  if (filters.sort !== 'price') params.set('sort', filters.sort);
  return params;
}

/** Those that fit, in the order asked for. */
export function chosenModels(models: readonly MarketModel[], filters: ModelFilters): MarketModel[] {
  return models.filter((model) => fits(model, filters)).sort(ORDERS[filters.sort]);
}

function fits(model: MarketModel, filters: ModelFilters): boolean {
  const { capabilities, contextLimit } = model.svc;
  const words = `${model.id} ${model.owned_by}`.toLowerCase();
  const price = blendedPriceOf(model);
  return (
    filters.text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => words.includes(word)) &&
    filters.capabilities.every((each) => capabilities[each]) &&
    (filters.workload === 'all' || capabilities.workload === filters.workload) &&
    (filters.maxPrice === null || (price !== undefined && price <= filters.maxPrice)) &&
    contextLimit >= filters.minContext &&
    (!filters.liveOnly || isLive(model))
  );
}

/** What a million tokens of an ordinary request cost, three of input to one of output, base units; undefined while nobody sells. */
function blendedPriceOf(model: MarketModel): bigint | undefined {
  const price = priceOf(model);
  if (!price) return undefined;
  const { input_price_per_mtok: input, output_price_per_mtok: output } = price.pricing;
  return (3n * BigInt(input) + BigInt(output)) / 4n;
}

type Order = (a: MarketModel, b: MarketModel) => number;

const byName: Order = (a, b) => (a.id < b.id ? -1 : 1);

const ORDERS: Record<Sort, Order> = {
  price: by((model) => blendedPriceOf(model)),
  speed: by((model) => model.health.first_token_ms),
  context: by((model) => -model.svc.contextLimit),
  name: byName,
};

/** The least first, what has none last; of equals the first by name. */
function by(figureOf: (model: MarketModel) => number | bigint | undefined): Order {
  return (a, b) => {
    const [one, other] = [figureOf(a), figureOf(b)];
    if (one === other) return byName(a, b);
    if (one === undefined) return 1;
    if (other === undefined) return -1;
    return one < other ? -1 : 1;
  };
}
