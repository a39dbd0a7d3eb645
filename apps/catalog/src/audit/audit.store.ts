import { Inject, Injectable } from '@nestjs/common';
import type { AuditEntry, AuditPage } from '@svc/contracts';
import { pageOf } from '@svc/persistence';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** What was done to whom, by whom and why; id and time are the table's. */
export type AuditRecord = Omit<AuditEntry, 'id' | 'at' | 'reason'> & { reason?: string | null };

/** Which entries, the newest first. */
interface AuditSelection {
  /** A provider's wallet, an offer's or a model's id; all without one. */
  subject?: string;
  /** Only entries with a lower id. */
  before?: number;
  limit: number;
}

/** The audit trail: entries are only ever added. */
@Injectable()
export class AuditStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Adds entries in the transaction of what they tell of: neither stands without the other. */
  async write(tx: Prisma.TransactionClient, ...records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    await tx.audit.createMany({
      data: records.map((record) => ({ ...record, reason: record.reason ?? null })),
    });
  }

  async list({ subject, before, limit }: AuditSelection): Promise<AuditPage> {
    const rows = await this.prisma.audit.findMany({
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
