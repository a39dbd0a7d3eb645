import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  CHAIN_JOB_STATES,
  IsModelId,
  IsPageCursor,
  IsUtcTime,
  MAX_STATEMENT_PAGE,
  TIME_UNITS,
} from '@svc/contracts';
import type { ChainJobState, TimeUnit } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsIn, IsOptional } from 'class-validator';
import { EXAMPLE_WALLET } from '../../fields/address';
import { oneOfWords } from '../../http/query-words';
import { IsWholeNumberText } from '../../http/whole-number-text';

const USDC = { example: '0.000450', description: 'USDC with six decimals.' } as const;

/** The query of an earnings statement: texts, as they stand in a URL. */
@Exact()
export class EarningsQuery {
  @ApiPropertyOptional({ description: 'The first hour, UTC.', example: '2026-11-01T00:00:00Z' })
  @IsOptional()
  @IsUtcTime()
  from?: string;

  @ApiPropertyOptional({ description: 'The first hour after, UTC.', example: '2026-12-01T00:00:00Z' })
  @IsOptional()
  @IsUtcTime()
  to?: string;

  @ApiPropertyOptional({ ...oneOfWords(TIME_UNITS), default: 'day' })
  @IsOptional()
  @IsIn(TIME_UNITS)
  by?: TimeUnit;

  @ApiPropertyOptional({ example: 'svc/demo@1' })
  @IsOptional()
  @IsModelId()
  model?: string;

  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsPageCursor()
  cursor?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_STATEMENT_PAGE,
    description: 'Lines a page; 100 unless told.',
  })
  @IsOptional()
  @IsWholeNumberText(1, MAX_STATEMENT_PAGE)
  limit?: string;
}

export class EarningTotals {
  @ApiProperty({ type: 'integer' })
  requests!: number;

  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ ...USDC, description: 'What the provider earned, USDC with six decimals.' })
  credited_usdc!: string;
}

export class EarningLineReply extends EarningTotals {
  @ApiProperty({ description: 'When the hour, day or month begins, UTC.', example: '2026-11-21T00:00:00Z' })
  time!: string;

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;
}

/** Of all times and models. */
export class EarningsAccount {
  @ApiProperty({ ...USDC, description: 'All that was ever earned.' })
  credited_usdc!: string;

  @ApiProperty({
    ...USDC,
    description: 'What payers had paid for on chain when the last payout root was made.',
  })
  released_usdc!: string;

  @ApiProperty({ ...USDC, description: 'What the chain has paid out.' })
  paid_out_usdc!: string;

  @ApiProperty({ ...USDC, description: 'Of the released, what is not paid out.' })
  payable_usdc!: string;
}

/** The arguments of the settlement contract's `claim(provider, cumulative, proof)`. Anybody may send it: the tokens go to the provider. */
export class PayoutClaim {
  @ApiProperty({ type: 'integer' })
  chain_id!: number;

  @ApiProperty({ description: 'The settlement contract.' })
  contract!: string;

  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ description: 'As the contract takes it: base units (10^-6 USDC).', example: '450' })
  cumulative!: string;

  @ApiProperty({ type: [String], description: 'Words of 32 bytes in hex.' })
  proof!: string[];

  @ApiProperty({ description: 'The payout root that the proof leads to.' })
  root!: string;

  @ApiProperty({
    enum: CHAIN_JOB_STATES,
    description: 'Of the root on chain; while it is `signed` only, the contract refuses the claim.',
  })
  state!: ChainJobState;

  @ApiProperty({ description: 'UTC.' })
  published_at!: string;

  @ApiProperty({ ...USDC, description: 'What the claim moves now.' })
  claimable_usdc!: string;

  @ApiProperty({ ...USDC, description: 'What the contract has paid so far.' })
  paid_usdc!: string;
}

@ApiExtraModels(PayoutClaim)
export class EarningsReply {
  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ type: [EarningLineReply], description: 'The oldest first.' })
  lines!: EarningLineReply[];

  @ApiProperty({ type: EarningTotals, description: 'Over all lines of all pages.' })
  totals!: EarningTotals;

  @ApiProperty({ type: EarningsAccount })
  account!: EarningsAccount;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    example: 9_000,
    description:
      'What of each charge is the provider’s from now on, basis points: 9000 is 90 %, rounded down to a base unit (10^-6 USDC) for each request.',
  })
  share_bps?: number;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(PayoutClaim) }, { type: 'null' }],
    description: 'Null while nothing is payable.',
  })
  claim!: PayoutClaim | null;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }], description: '`cursor` of the next page.' })
  next!: string | null;
}
