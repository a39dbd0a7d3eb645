import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** How much is kept of replies; `IdempotencyStore` counts what it stores, in the same commit. */
@Injectable()
export class StoredBytesStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Of all wallets: some rows of each. */
  async sum(): Promise<number> {
    const [row] = await this.prisma.$queryRaw<{ bytes: number }[]>`
      SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM billing.stored_bytes`;
    return row?.bytes ?? 0;
  }

  /** Counts no more what ended before the oldest request that is still there: what is past its time takes room until it is purged. */
  async forget(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM billing.stored_bytes
      WHERE span_until <= now() AND span_until <= coalesce((SELECT min(expires_at) FROM billing.idempotency), now())`;
  }
}
