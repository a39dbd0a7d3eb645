import { Injectable } from '@nestjs/common';
import { StatementDatabase } from './statement-database';

/** A wallet's figures as one snapshot shows them, base units. */
export interface PositionRow {
  readonly wallet: string;
  readonly balance: bigint | null;
  readonly approved: bigint | null;
  readonly limit_head: bigint;
  readonly limit_safe: bigint;
  readonly settled_head: bigint;
  readonly settled_safe: bigint;
  readonly posted: bigint;
  readonly credited: bigint;
  readonly held: bigint;
  /** May be negative. */
  readonly headroom: bigint;
  readonly open_holds: bigint;
  readonly suspended_at: Date | null;
  readonly suspension_reason: string | null;
  readonly pull_failed_at: Date | null;
}

@Injectable()
export class PositionStore {
  constructor(private readonly database: StatementDatabase) {}

  async find(wallet: string): Promise<PositionRow | undefined> {
    const [row] = await this.database.prisma.$queryRaw<PositionRow[]>`
      SELECT w.wallet, m.balance_head AS balance, m.allowance_head AS approved, w.limit_head, w.limit_safe, w.settled_head,
             w.settled_safe, w.posted, w.credited, w.held, billing.headroom(w) AS headroom,
             (SELECT count(*) FROM billing.open_hold h WHERE h.wallet = w.wallet) AS open_holds,
             w.suspended_at, w.suspension_reason, w.pull_failed_at
      FROM billing.wallet w LEFT JOIN billing.wallet_means m ON m.wallet = w.wallet
      WHERE w.wallet = ${wallet}`;
    return row;
  }
}
