import { Injectable } from '@nestjs/common';
import type { ListCreditsRequest } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { allOf, equals, timeText, within } from './sql-fragments';
import { StatementDatabase } from './statement-database';

interface CreditRow {
  readonly kind: 'refund' | 'credit';
  readonly credit_id: string;
  readonly created_at: string;
  readonly amount: string;
  readonly reason: string;
  readonly actor: string;
}

@Injectable()
export class CreditListStore {
  constructor(private readonly database: StatementDatabase) {}

  /** What was given to a wallet, the newest first, beginning after `after` (time, kind, id). */
  page(
    { wallet, kind, from, to }: ListCreditsRequest,
    after: readonly string[] | undefined,
    most: number,
  ): Promise<CreditRow[]> {
    const beyond =
      after &&
      Prisma.sql`(created_at, kind, credit_id) < (${after[0]}::timestamptz, ${after[1]}, ${after[2]})`;
    return this.database.prisma.$queryRaw<CreditRow[]>`
      SELECT kind, credit_id, ${timeText(Prisma.sql`created_at`)} AS created_at, amount::text, reason, actor
      FROM billing.credit
      WHERE ${allOf([
        Prisma.sql`wallet = ${wallet}`,
        equals(Prisma.sql`kind`, kind),
        ...within(Prisma.sql`created_at`, from, to),
        beyond,
      ])}
      ORDER BY billing.credit.created_at DESC, kind DESC, credit_id DESC LIMIT ${most}`;
  }
}
