import { ApiProperty } from '@nestjs/swagger';
import { CHAIN_JOB_STATES } from '@svc/contracts';
import type { ChainJobState } from '@svc/contracts';
import { USDC } from '../usdc';

const MAYBE_TEXT = { oneOf: [{ type: 'string' }, { type: 'null' }] };
const MAYBE_TIME = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** The wallet's own line in a batch. */
export class OwnLine {
  @ApiProperty({ ...USDC, description: 'All it had owed before this batch.' })
  previous_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All it had owed with this batch: what the contract is told.' })
  cumulative_usdc!: string;

  @ApiProperty({
    ...USDC,
    description: 'The difference: what the line’s receipts add up to. 0 when it only asks again.',
  })
  amount_usdc!: string;

  @ApiProperty({
    ...USDC,
    description: 'What the batch moved from the wallet, as the chain’s head shows it.',
  })
  pulled_usdc!: string;

  @ApiProperty({ description: 'The token refused: balance or approval did not suffice.' })
  failed!: boolean;

  @ApiProperty({ type: 'integer', description: 'How many receipts it collects.' })
  receipts!: number;

  @ApiProperty({ description: 'Merkle root of its receipts; zero without any.' })
  payer_root!: string;
}

/** A batch in which the wallet has a line. */
export class Settlement {
  @ApiProperty({ description: '32 bytes in hex.' })
  id!: string;

  @ApiProperty({
    enum: CHAIN_JOB_STATES,
    description:
      '`signed`: not seen on chain yet. `mined`: the chain’s head shows it. `settled`: so does the safe depth.',
  })
  state!: ChainJobState;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty(MAYBE_TIME)
  settled_at!: string | null;

  @ApiProperty({
    ...MAYBE_TEXT,
    description: 'The transaction that did it, or the last that was signed for it.',
  })
  tx_hash!: string | null;

  @ApiProperty({ ...MAYBE_TEXT, description: 'What it cost the marketplace, wei; null until it is settled.' })
  gas_cost_wei!: string | null;

  @ApiProperty({ description: 'Merkle root of its lines, as the contract keeps it.' })
  root!: string;

  @ApiProperty({ type: 'integer', description: 'Lines in it, one a wallet.' })
  wallets!: number;

  @ApiProperty({ ...USDC, description: 'What all its receipts add up to.' })
  total_usdc!: string;

  @ApiProperty({ type: OwnLine })
  own!: OwnLine;
}

export class SettlementList {
  @ApiProperty({ type: [Settlement], description: 'The newest first.' })
  settlements!: Settlement[];

  @ApiProperty({ ...MAYBE_TEXT, description: '`cursor` of the next page.' })
  next!: string | null;
}

/** A transaction that was signed for a batch. */
export class SettlementTransaction {
  @ApiProperty()
  tx_hash!: string;

  @ApiProperty({ format: 'date-time' })
  signed_at!: string;

  @ApiProperty({ description: 'Whether a node took it.' })
  sent!: boolean;
}

/** A receipt that the wallet's line collects. */
export class CollectedReceipt {
  @ApiProperty({ enum: ['usage', 'refund', 'credit'] })
  kind!: 'usage' | 'refund' | 'credit';

  @ApiProperty({
    description:
      'The request’s, the refunded request’s, or the credit’s; `<id>.1` and so on for parts of a large one.',
  })
  id!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({
    ...USDC,
    description: 'What it adds to what the wallet owes; negative for refunds and credits.',
  })
  amount_usdc!: string;

  @ApiProperty({ ...MAYBE_TEXT, description: 'Of a request.' })
  model!: string | null;
}

export class SettlementReply extends Settlement {
  @ApiProperty({ type: [SettlementTransaction], description: 'The oldest first.' })
  transactions!: SettlementTransaction[];

  @ApiProperty({ type: [CollectedReceipt], description: 'A page of them, the oldest first.' })
  collected!: CollectedReceipt[];

  @ApiProperty({ ...MAYBE_TEXT, description: '`cursor` of the next page of receipts.' })
  next!: string | null;
}
