import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

interface LapsedHolds {
  /** The database's clock, by which they have lapsed. */
  readonly at: Date;
  readonly holds: { wallet: string; holdId: string }[];
}

interface LapsedRow {
  at: Date;
  /** Null where nothing has lapsed. */
  wallet: string | null;
  holdId: string | null;
}

@Injectable()
export class LapsedHoldStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Open holds whose lease has run out by the database's clock, the longest lapsed first. */
  async lapsed(limit: number): Promise<LapsedHolds> {
    const rows = await this.prisma.$queryRaw<LapsedRow[]>`
      SELECT clock.at, h.wallet, h.hold_id AS "holdId"
      FROM (SELECT now() AS at) clock
      LEFT JOIN LATERAL (
        SELECT wallet, hold_id, lease_until FROM billing.open_hold
        WHERE lease_until <= clock.at ORDER BY lease_until LIMIT ${limit}
      ) h ON true
      ORDER BY h.lease_until`;
    const [first] = rows;
    if (!first) throw new Error('the database did not say what time it is');
    return {
      at: first.at,
      holds: rows.flatMap(({ wallet, holdId }) => (wallet && holdId ? { wallet, holdId } : [])),
    };
  }
}
