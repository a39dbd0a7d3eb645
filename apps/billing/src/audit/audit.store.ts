import { Inject, Injectable } from '@nestjs/common';
import type { AuditEntry, AuditPage, ListAuditRequest } from '@svc/contracts';
import { Prisma, pageOf } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** What was done to whom, by whom and why; id and time are the table's. */
type AuditRecord = Omit<AuditEntry, 'id' | 'at'>;

const USUAL_PAGE = 100;

/** The trail of what people did to wallets and to settlement: entries are only ever added. */
@Injectable()
export class AuditStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** The newest first. */
  async list({ subject, before, limit = USUAL_PAGE }: ListAuditRequest): Promise<AuditPage> {
    const rows = await this.prisma.billingAudit.findMany({
      where: {
        ...(subject !== undefined && { subject }),
        ...(before !== undefined && { id: { lt: before } }),
      },
      orderBy: { id: 'desc' },
      // One more than a page tells whether there is another.
      take: limit + 1,
    });
    const { items, last } = pageOf(rows, limit);
    const entries = items.map(({ id, at, ...rest }) => ({ id: Number(id), at: at.toISOString(), ...rest }));
    return { entries, next: last ? Number(last.id) : null };
  }
}

/**
 * One statement that does something and writes it down: neither stands without the other. Its result is how many entries were made.
 * @param act a statement that returns a row for each subject it changed
 */
export function audited(act: Prisma.Sql, { actor, action, subject, reason }: AuditRecord): Prisma.Sql {
  return Prisma.sql`
    WITH act AS (${act}), changed AS (SELECT FROM act LIMIT 1)
    INSERT INTO billing.audit (actor, action, subject, reason)
    SELECT ${actor}, ${action}, ${subject}, ${reason} FROM changed`;
}
