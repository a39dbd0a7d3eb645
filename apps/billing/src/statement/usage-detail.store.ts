import { Injectable } from '@nestjs/common';
import type { ShowUsageRequest } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { timeText } from './sql-fragments';
import { StatementDatabase } from './statement-database';
import { ROW } from './usage-list.store';
import type { UsageRow } from './usage-list.store';

/** A request, and what was given back of it. */
type DetailRow = UsageRow & {
  readonly refund_amount: string | null;
  readonly refund_reason: string | null;
  readonly refund_at: string | null;
  readonly batch_id: string | null;
};

@Injectable()
export class UsageDetailStore {
  constructor(private readonly database: StatementDatabase) {}

  /** One request of a wallet: from the records themselves, which are there before the lists are. */
  async find({ wallet, requestId }: ShowUsageRequest): Promise<DetailRow | undefined> {
    const [row] = await this.database.prisma.$queryRaw<DetailRow[]>`
      SELECT r.hold_id, ${timeText(Prisma.sql`coalesce(u.created_at, f.created_at)`)} AS created_at, ${ROW},
             c.amount::text AS refund_amount, c.reason AS refund_reason,
             ${timeText(Prisma.sql`c.created_at`)} AS refund_at, p.batch_id
      FROM (SELECT ${wallet}::text AS wallet, ${requestId}::text AS hold_id) r
      LEFT JOIN billing.usage_record u ON u.wallet = r.wallet AND u.hold_id = r.hold_id
      LEFT JOIN billing.unserved_request f ON f.wallet = r.wallet AND f.hold_id = r.hold_id AND u.hold_id IS NULL
      LEFT JOIN billing.credit c ON c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id
      LEFT JOIN billing.receipt p ON p.wallet = u.wallet AND p.receipt_id = u.hold_id AND p.kind = 'usage'
      WHERE coalesce(u.hold_id, f.hold_id) IS NOT NULL`;
    return row;
  }
}
