import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, Max, Min } from 'class-validator';
import { IsModelId } from '../fields';
import { defineRpc } from '../rpc-contract';
import type { CertifiedScope } from './certification.contracts';
import type { OfferHealth } from './supply.contracts';

/** Models of which one call may ask. */
export const MOST_MARKET_MODELS = 25;
/** Offers of each that one reply may tell of. */
export const MOST_MARKET_OFFERS = 100;

/** Asks how the markets of some models stand. Error: no_capacity until this instance has published. */
export class ShowMarketRequest {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_MARKET_MODELS)
  @IsModelId({ each: true })
  models!: string[];

  /** How many offers of each to leave out, of those that come first. */
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  offset!: number;

  /** How many of each to tell of; 0 counts them only. */
  @IsInt()
  @Min(0)
  @Max(MOST_MARKET_OFFERS)
  limit!: number;
}

/** A live offer as everybody may know it: neither where it is nor what its server calls the model. Amounts are base units. */
export interface MarketOffer {
  offerId: string;
  provider: string;
  /** What the provider calls itself. */
  providerName: string;
  bundle: string;
  quantisation: string;
  engine: string;
  profile: string;
  hardwareClass: string;
  speedTier: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  contextLimit: number;
  maxOutputTokens: number;
  concurrency: number;
  certificationId: string;
  structuredOutputs: boolean;
  /** Null without tools. */
  toolContract: CertifiedScope['toolContract'];
  health: OfferHealth;
}

/** The live offers of one model. */
export interface ModelMarket {
  model: string;
  liveOffers: number;
  /** Over all live offers, those that are asked more counting more. */
  health: Omit<OfferHealth, 'lastSeenAt'>;
  /** The cheapest first, by blended price (`blendedPriceOf`). */
  offers: MarketOffer[];
}

/** In the order in which the models were named. */
export interface ShownMarket {
  models: ModelMarket[];
}

export const marketContracts = {
  showMarket: defineRpc<ShowMarketRequest, ShownMarket>({
    subject: 'catalog.v1.market.show',
    queue: 'catalog',
    timeoutMs: 3_000,
    request: ShowMarketRequest,
  }),
};
