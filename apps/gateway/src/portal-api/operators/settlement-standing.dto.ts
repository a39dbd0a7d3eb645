import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { USDC } from '../usdc';

const MOMENT = { description: 'UTC.', example: '2026-11-21T06:00:00.000Z' } as const;
const MOMENT_OR_NULL = { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'UTC.' };

/** Two figures that must agree and do not. */
export class SettlementDifferenceReply {
  @ApiProperty({ example: 'held by a wallet is the sum of its open holds' })
  rule!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'The wallet, key, batch or provider.',
  })
  subject!: string | null;

  @ApiProperty()
  expected!: string;

  @ApiProperty()
  actual!: string;
}

export class SettlementPauseReply {
  @ApiProperty()
  reason!: string;

  @ApiProperty({ description: 'An operator, or `reconciliation`.' })
  actor!: string;

  @ApiProperty(MOMENT)
  paused_at!: string;

  @ApiProperty({ type: [SettlementDifferenceReply] })
  differences!: SettlementDifferenceReply[];
}

/** How the collecting of what wallets owe stands. */
@ApiExtraModels(SettlementPauseReply)
export class SettlementStandingReply {
  @ApiProperty({
    description: '`paused`, `off` without a key, `standby` when another instance signs, or what it is doing.',
    example: 'idle',
  })
  state!: string;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }] })
  detail!: string | null;

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(SettlementPauseReply) },
    description: 'Why nothing is collected; empty when it is.',
  })
  pauses!: SettlementPauseReply[];

  @ApiProperty({ type: 'integer' })
  wallets!: number;

  @ApiProperty({ type: 'integer', description: 'By operators.' })
  suspended_wallets!: number;

  @ApiProperty({ type: 'integer', description: 'Suspended because what they owe could not be pulled.' })
  failed_wallets!: number;

  @ApiProperty({ ...USDC, description: 'What wallets owe beyond what the chain has collected.' })
  unsettled_usdc!: string;

  @ApiProperty({ type: 'integer' })
  open_batches!: number;

  @ApiProperty({ ...MOMENT_OR_NULL, description: 'UTC: when figures were last compared.' })
  reconciled_at!: string | null;

  @ApiProperty({ ...MOMENT_OR_NULL, description: 'UTC: when all of them were.' })
  fully_reconciled_at!: string | null;
}
