import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class CardCapabilities {
  @ApiProperty({ enum: ['chat', 'embedding'] })
  workload!: string;

  @ApiProperty()
  tools!: boolean;

  @ApiProperty()
  structuredOutputs!: boolean;

  @ApiProperty()
  reasoning!: boolean;

  @ApiProperty()
  streaming!: boolean;

  @ApiProperty({ type: 'integer' })
  maxOutputTokens!: number;
}

/** The lowest live offer: USDC base units (six decimals) per million tokens, as decimal strings. */
export class CardPricing {
  @ApiProperty()
  input_price_per_mtok!: string;

  @ApiProperty()
  output_price_per_mtok!: string;
}

/** What the model's tools were certified for; a request outside it is refused. Test network. */
export class CardToolContract {
  @ApiProperty({ type: [String], description: 'Accepted `tool_choice` values.' })
  tool_choice!: string[];

  @ApiProperty()
  parallel_tool_calls!: boolean;

  @ApiProperty()
  strict_schemas!: boolean;

  @ApiProperty({ description: 'How a call reaches a streaming client.' })
  tool_streaming!: string;

  @ApiProperty({ type: 'integer', description: 'Largest certified argument document; 0 means untested.' })
  max_argument_bytes!: number;

  @ApiProperty({ type: 'integer' })
  certified_concurrency!: number;

  @ApiProperty()
  agentic_certified!: boolean;

  @ApiProperty({ type: 'integer' })
  metering_version!: number;

  @ApiProperty()
  certification_id!: string;
}

/** Model details (spec section 2.3, `svc` of a model). */
export class ModelDetails {
  @ApiProperty({ type: 'integer', description: 'Context window in tokens.' })
  contextLimit!: number;

  @ApiProperty({ type: () => CardCapabilities })
  capabilities!: CardCapabilities;

  @ApiPropertyOptional({ type: () => CardPricing, description: 'Absent while nobody serves the model.' })
  pricing?: CardPricing;

  @ApiPropertyOptional({ type: () => CardToolContract, description: 'Present when `tools` is true.' })
  tool_contract?: CardToolContract;
}

export class ModelCard {
  @ApiProperty({ example: 'svc/demo@1' })
  id!: string;

  @ApiProperty({ enum: ['model'] })
  object!: 'model';

  @ApiProperty({ type: 'integer', description: 'Unix seconds.' })
  created!: number;

  @ApiProperty()
  owned_by!: string;

  @ApiProperty({ type: () => ModelDetails })
  svc!: ModelDetails;
}

export class ModelList {
  @ApiProperty({ enum: ['list'] })
  object!: 'list';

  @ApiProperty({ type: () => [ModelCard] })
  data!: ModelCard[];
}
