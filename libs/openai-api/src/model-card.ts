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

/** USDC base units (six decimals) per million tokens, as decimal strings. */
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

/** A model that the routing model may choose (spec section 2.3, `candidates`). */
export class RoutingCandidate {
  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Context window in tokens.' })
  contextLimit!: number;

  @ApiProperty({ type: () => CardCapabilities })
  capabilities!: CardCapabilities;

  @ApiPropertyOptional({
    type: () => CardPricing,
    description: 'The lowest live offer; absent while no provider serves the model.',
  })
  pricing?: CardPricing;

  @ApiProperty({ description: 'Whether a provider serves it now, and its `pricing` is within the ceiling.' })
  available!: boolean;
}

/** Model details (spec section 2.3, `svc` of a model). */
export class ModelDetails {
  @ApiProperty({
    type: 'integer',
    description: 'Context window in tokens; of the routing model, the smallest of its candidates.',
  })
  contextLimit!: number;

  @ApiProperty({
    type: () => CardCapabilities,
    description: 'Of the routing model: what all of its candidates can do.',
  })
  capabilities!: CardCapabilities;

  @ApiPropertyOptional({
    type: () => CardPricing,
    description:
      'The lowest live offer; absent while no provider serves the model. Of the routing model: the most that a request is ' +
      'charged (`basis`).',
  })
  pricing?: CardPricing;

  @ApiPropertyOptional({
    type: () => CardPricing,
    description:
      'Production: what the managed fallback costs at most, which answers when no provider can; absent where there is none.',
  })
  fallback_pricing?: CardPricing;

  @ApiPropertyOptional({
    type: () => CardToolContract,
    description:
      'Test network: present when `tools` is true. Of the routing model: what all of its candidates were certified for; of several ' +
      'the `certification_id` is a joint one that changes with any of theirs.',
  })
  tool_contract?: CardToolContract;

  @ApiPropertyOptional({ description: 'Test network: true on the routing model.' })
  cortex?: boolean;

  @ApiPropertyOptional({
    type: () => [RoutingCandidate],
    description:
      'Test network: what the routing model picks from. A request goes to those that can do all that it asks.',
  })
  candidates?: RoutingCandidate[];

  @ApiPropertyOptional({
    enum: ['ceiling'],
    description: 'Test network: what the price of the routing model is.',
  })
  basis?: 'ceiling';
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
