import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type {
  ReceiptDocument as Document,
  ReceiptSettlement as Settlement,
  UsageReceipt as Usage,
} from '@svc/contracts';

const USDC = { type: 'string', example: '0.000450', description: 'USDC with six decimals.' } as const;
const PRICE = { type: 'string', description: 'Base units (10^-6 USDC) per million tokens.' } as const;
const WORD = { type: 'string', description: '32 bytes in hex.' } as const;

/** What a request was and what it cost. */
export class UsageReceipt implements Usage {
  @ApiProperty({ enum: ['usage'] })
  type!: 'usage';

  @ApiProperty({ description: 'The request id, as `x-svc-request-id` told it.' })
  id!: string;

  @ApiProperty({ description: 'Whoever pays: an EVM address.' })
  wallet!: string;

  @ApiProperty({ description: 'Id of the API key, not the key.' })
  key_id!: string;

  @ApiProperty({
    description: 'The model that served; of a request to the routing model, the one it picked.',
  })
  model!: string;

  @ApiProperty({ description: 'Whoever served: an EVM address; of a managed vendor, who pays its bills.' })
  provider!: string;

  @ApiProperty()
  offer_id!: string;

  @ApiProperty(PRICE)
  input_price_per_mtok!: string;

  @ApiProperty(PRICE)
  output_price_per_mtok!: string;

  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ description: 'Who counted the tokens: `provider`, `counted`, `capped`.' })
  token_source!: string;

  @ApiProperty({ type: 'integer', description: 'How many offers were tried.' })
  attempts!: number;

  @ApiProperty()
  finish_reason!: string;

  @ApiProperty(USDC)
  held_usdc!: string;

  @ApiProperty(USDC)
  cost_usdc!: string;

  @ApiProperty({ description: 'UTC with microseconds.', example: '2026-11-21T06:00:00.000000Z' })
  created_at!: string;
}

/** Where the receipt stands on chain: the way from its leaf to the root that the contract keeps. */
export class ReceiptSettlement implements Settlement {
  @ApiProperty({ type: 'integer' })
  chain_id!: number;

  @ApiProperty({ description: 'The settlement contract.' })
  contract!: string;

  @ApiProperty(WORD)
  batch_id!: string;

  @ApiProperty({ type: [String], description: 'From the receipt to `payer_root`.' })
  receipt_proof!: string[];

  @ApiProperty()
  payer!: string;

  @ApiProperty({ description: 'All the payer had ever owed as of the batch, base units.' })
  cumulative!: string;

  @ApiProperty(WORD)
  payer_root!: string;

  @ApiProperty({ type: [String], description: 'From the payer’s line to the root of the batch.' })
  batch_proof!: string[];
}

/** The file that `npm run verify-receipt` takes. */
@ApiExtraModels(ReceiptSettlement)
export class ReceiptDocument implements Document {
  @ApiProperty({ type: UsageReceipt })
  receipt!: UsageReceipt;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(ReceiptSettlement) }, { type: 'null' }],
    description: 'Null until the batch that collects it is on chain.',
  })
  settlement!: ReceiptSettlement | null;
}
