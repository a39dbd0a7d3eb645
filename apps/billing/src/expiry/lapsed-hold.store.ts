import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

@Injectable()
export class LapsedHoldStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Open holds whose lease has run out by the database's clock, the longest lapsed first. */
  lapsed(limit: number): Promise<{ wallet: string; holdId: string }[]> {
    return this.prisma.$queryRaw<{ wallet: string; holdId: string }[]>`
      SELECT wallet, hold_id AS "holdId" FROM billing.open_hold
      WHERE lease_until <= now() ORDER BY lease_until LIMIT ${limit}`;
  }
}
