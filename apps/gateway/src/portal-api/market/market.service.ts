import { Inject, Injectable } from '@nestjs/common';
import { MOST_MARKET_MODELS, catalogContracts } from '@svc/contracts';
import type { ModelMarket } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { CLOCK } from '../../clock';
import type { Clock } from '../../clock';
import { GatewayConfig } from '../../gateway.config';
import { ServiceClient } from '../../messaging/service-client';
import { isAway } from '../../messaging/is-away';
import { isRouting } from '../../models/listed-model';
import { ModelCatalog } from '../../models/model-catalog';
import { FreshAnswers } from './fresh-answers';
import { marketModelCard, marketOfferCard } from './market-card';
import type { MarketOffersQuery, MarketOffersReply, MarketReply } from './market.dto';

/** How old an answer may be. */
const FRESH_MS = 3_000;
/** Pages of offers kept. */
const MOST_PAGES = 500;
const DEFAULT_PAGE = 25;

/** The market as the catalogue tells it, a few seconds old at most. */
@Injectable()
export class MarketService {
  private readonly markets: FreshAnswers<MarketReply>;
  private readonly pages: FreshAnswers<MarketOffersReply>;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly models: ModelCatalog,
    private readonly catalog: ServiceClient,
  ) {
    this.markets = new FreshAnswers(clock, FRESH_MS, 1);
    this.pages = new FreshAnswers(clock, FRESH_MS, MOST_PAGES);
  }

  /** @throws SvcError no_capacity while the models are not known yet */
  list(requestId: string): Promise<MarketReply> {
    return this.markets.get('', () => this.askAll(requestId));
  }

  /** @throws SvcError model_not_found, also for the routing model; no_capacity, RpcUnavailableError while the catalogue is away */
  async offers(query: MarketOffersQuery, requestId: string): Promise<MarketOffersReply> {
    const { model } = query;
    const [offset, limit] = [Number(query.offset ?? 0), Number(query.limit ?? DEFAULT_PAGE)];
    const listed = this.models.find(model);
    if (isRouting(listed)) throw noOffersOfItsOwn(model);
    return this.pages.get(`${offset} ${limit} ${model}`, async () => {
      const request = { models: [model], offset, limit };
      const { models } = await this.catalog.call(catalogContracts.showMarket, request, requestId);
      return {
        object: 'list',
        model,
        live_offers: models[0]?.liveOffers ?? 0,
        data: (models[0]?.offers ?? []).map((offer) => marketOfferCard(offer, this.config.environment)),
      };
    });
  }

  private async askAll(requestId: string): Promise<MarketReply> {
    const listed = this.models.all();
    const sold = listed.filter((model) => !isRouting(model)).map(({ id }) => id);
    const markets = await this.marketsOf(sold, requestId);
    const { environment } = this.config;
    return {
      object: 'list',
      data: listed.map((model) => marketModelCard(model, markets.get(model.id), environment)),
    };
  }

  /** By model; none while the catalogue is away: what is listed is known without it. */
  private async marketsOf(models: readonly string[], requestId: string): Promise<Map<string, ModelMarket>> {
    try {
      const shown = await Promise.all(
        chunksOf(models, MOST_MARKET_MODELS).map((chunk) => {
          const request = { models: chunk, offset: 0, limit: 0 };
          return this.catalog.call(catalogContracts.showMarket, request, requestId);
        }),
      );
      return new Map(shown.flatMap((part) => part.models.map((market) => [market.model, market] as const)));
    } catch (error) {
      // A catalogue that has only just begun says no_capacity.
      if (isAway(error)) return new Map();
      throw error;
    }
  }
}

function noOffersOfItsOwn(model: string): SvcError {
  return new SvcError({
    code: 'model_not_found',
    message: `"${model}" has no offers of its own: it picks among other models. Ask for the offers of one of its candidates.`,
    param: 'model',
  });
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < all.length; start += size) chunks.push(all.slice(start, start + size));
  return chunks;
}
