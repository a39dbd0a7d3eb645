import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** What stands beside an offer's terms. */
export interface OfferBackground {
  offerId: string;
  providerName: string;
  quantisation: string;
  engine: string;
  hardwareClass: string;
  speedTier: string;
  lastSeenAt: Date | null;
}

/** Who and what is behind offers. */
@Injectable()
export class MarketStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async backgrounds(offerIds: readonly string[]): Promise<Map<string, OfferBackground>> {
    if (offerIds.length === 0) return new Map();
    const rows = await this.prisma.$queryRaw<OfferBackground[]>`
      SELECT o.id AS "offerId", p.name AS "providerName", b.quantisation, b.engine, f.hardware_class AS "hardwareClass",
        f.speed_tier AS "speedTier", o.last_seen_at AS "lastSeenAt"
      FROM catalog.offers o
      JOIN catalog.providers p ON p.wallet = o.provider_wallet
      JOIN catalog.bundles b ON b.id = o.bundle_id
      JOIN catalog.profiles f ON f.id = o.profile_id
      WHERE o.id = ANY(${offerIds}::text[])`;
    return new Map(rows.map((row) => [row.offerId, row]));
  }
}
