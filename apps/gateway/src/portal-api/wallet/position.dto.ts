import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Exact } from '@svc/validation';
import { IsIn, IsOptional } from 'class-validator';
import { oneOfWords } from '../../http/query-words';
import { PageQuery } from '../page-query.dto';
import { USDC } from '../usdc';

const MAYBE_USDC = { oneOf: [{ type: 'string', example: '1.250000' }, { type: 'null' }] };
const MAYBE_TIME = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** Why the wallet may not spend; one of the two is set. */
export class SpendingStop {
  @ApiProperty({ ...MAYBE_TIME, description: 'Since when operators have suspended it.' })
  suspended_at!: string | null;

  @ApiProperty({ ...MAYBE_TIME, description: 'Since when the chain could not collect what it owes.' })
  collection_failed_at!: string | null;
}

/** What a wallet has, owes and may spend: `available + held + unsettled = collectable`, in one snapshot. USDC, six decimals. */
@ApiExtraModels(SpendingStop)
export class WalletPositionReply {
  @ApiProperty({ example: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' })
  wallet!: string;

  @ApiProperty({
    ...MAYBE_USDC,
    description: 'The wallet’s tokens at the chain’s head; null before they were read.',
  })
  balance_usdc!: string | null;

  @ApiProperty({ ...MAYBE_USDC, description: 'Of these, what the settlement contract may take.' })
  approved_usdc!: string | null;

  @ApiProperty({ ...USDC, description: 'The lesser of the two, at the chain’s head.' })
  limit_usdc!: string;

  @ApiProperty({ ...USDC, description: 'The same some blocks below, where nothing changes any more.' })
  confirmed_limit_usdc!: string;

  @ApiProperty({ ...USDC, description: 'What the chain could still be asked for.' })
  collectable_usdc!: string;

  @ApiProperty({
    ...USDC,
    description:
      'Of the collectable, what is free. Negative after an approval was lowered below what is owed.',
  })
  available_usdc!: string;

  @ApiProperty({ ...USDC, description: 'Set aside for requests under way.' })
  held_usdc!: string;

  @ApiProperty({
    ...USDC,
    description:
      'Charged and not collected yet. Negative when a charge was given back after it had been collected.',
  })
  unsettled_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All it was ever charged.' })
  charged_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All that was ever given back or credited.' })
  credited_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All that the chain ever collected from it.' })
  settled_usdc!: string;

  @ApiProperty({
    ...USDC,
    description: 'What a request may cost now: what is available, within the cap on what is unsettled.',
  })
  spendable_usdc!: string;

  @ApiProperty({ type: 'integer', description: 'Requests under way.' })
  open_requests!: number;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(SpendingStop) }, { type: 'null' }],
    description: 'Null while the wallet may spend.',
  })
  stopped!: SpendingStop | null;
}

const CREDIT_KINDS = ['refund', 'credit'] as const;

@Exact()
export class CreditsQuery extends PageQuery {
  @ApiPropertyOptional(oneOfWords(CREDIT_KINDS))
  @IsOptional()
  @IsIn(CREDIT_KINDS)
  kind?: (typeof CREDIT_KINDS)[number];
}

export class CreditLineReply {
  @ApiProperty({ enum: CREDIT_KINDS })
  kind!: (typeof CREDIT_KINDS)[number];

  @ApiProperty({ description: 'The refunded request’s, or the credit’s.' })
  id!: string;

  @ApiProperty({ description: 'UTC.', format: 'date-time' })
  created_at!: string;

  @ApiProperty(USDC)
  amount_usdc!: string;

  @ApiProperty({ description: 'As it stands on the receipt.' })
  reason!: string;
}

export class CreditListReply {
  @ApiProperty({ type: [CreditLineReply], description: 'The newest first.' })
  credits!: CreditLineReply[];

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }], description: '`cursor` of the next page.' })
  next!: string | null;
}
