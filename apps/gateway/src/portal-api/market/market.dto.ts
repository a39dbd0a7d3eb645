import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsModelId, MOST_MARKET_OFFERS } from '@svc/contracts';
import { CardToolContract, ModelCard } from '@svc/openai-api';
import { Exact } from '@svc/validation';
import { IsOptional } from 'class-validator';
import { EXAMPLE_WALLET } from '../../fields/address';
import { OfferHealthReply } from '../../supply/offers/offer-status.dto';
import { IsWholeNumberText } from '../../http/whole-number-text';

const PRICE = { description: 'Base units (10^-6 USDC) per million tokens.', example: '100000' } as const;

/** From real traffic of late; absent figures are not known. */
export class ModelHealthReply {
  @ApiPropertyOptional({ description: '0 to 1.' })
  error_rate?: number;

  @ApiPropertyOptional({ description: '0 to 1.' })
  invalid_rate?: number;

  @ApiPropertyOptional({ type: 'integer' })
  first_token_ms?: number;

  @ApiPropertyOptional()
  tokens_per_second?: number;
}

/** A model as `GET /v1/models` lists it, and how its market stands. */
export class MarketModelReply extends ModelCard {
  @ApiPropertyOptional({
    type: 'integer',
    description:
      'Providers’ offers that serve now; absent of the routing model, whose candidates say, and while the catalogue cannot be asked.',
  })
  live_offers?: number;

  @ApiProperty({
    type: ModelHealthReply,
    description: 'What one of many requests met with, over all live offers.',
  })
  health!: ModelHealthReply;
}

export class MarketReply {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty({ type: () => [MarketModelReply] })
  data!: MarketModelReply[];
}

/** The query of a page of offers: texts, as they stand in a URL. */
@Exact()
export class MarketOffersQuery {
  @ApiProperty({ type: String, example: 'svc/demo@1' })
  @IsModelId()
  model!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 999_999, default: 0 })
  @IsOptional()
  @IsWholeNumberText(0, 999_999)
  offset?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_MARKET_OFFERS, default: 25 })
  @IsOptional()
  @IsWholeNumberText(1, MOST_MARKET_OFFERS)
  limit?: string;
}

/** A live offer as everybody may know it; where its endpoint is, is not among it. */
export class MarketOfferReply {
  @ApiProperty({ example: 'ofr_0123456789abcdef0123456789abcdef' })
  offer_id!: string;

  @ApiProperty({ description: 'The wallet.', example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ description: 'What the provider calls itself; its own words.' })
  provider_name!: string;

  @ApiProperty()
  bundle!: string;

  @ApiProperty()
  quantisation!: string;

  @ApiProperty()
  engine!: string;

  @ApiProperty()
  profile!: string;

  @ApiProperty()
  hardware_class!: string;

  @ApiProperty()
  speed_tier!: string;

  @ApiProperty(PRICE)
  input_price_per_mtok!: string;

  @ApiProperty(PRICE)
  output_price_per_mtok!: string;

  @ApiProperty({ type: 'integer', description: 'Tokens.' })
  context_limit!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens.' })
  max_output_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Requests at once that it was certified for.' })
  concurrency!: number;

  @ApiProperty({ description: '`GET /v1/certifications/{id}` shows the report.' })
  certification_id!: string;

  @ApiProperty({ description: 'Whether it was certified for tools.' })
  tools!: boolean;

  @ApiProperty()
  structured_outputs!: boolean;

  @ApiPropertyOptional({ type: CardToolContract, description: 'Test network: present with tools.' })
  tool_contract?: CardToolContract;

  @ApiProperty({ type: OfferHealthReply })
  health!: OfferHealthReply;
}

export class MarketOffersReply {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'All that serve now, not only these.' })
  live_offers!: number;

  @ApiProperty({ type: () => [MarketOfferReply], description: 'The cheapest first.' })
  data!: MarketOfferReply[];
}
