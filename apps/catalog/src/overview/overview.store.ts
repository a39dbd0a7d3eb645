import { Inject, Injectable } from '@nestjs/common';
import type { ListProvidersRequest, CatalogueOverview, ProviderSummary } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

export type OverviewCounts = Omit<CatalogueOverview, 'liveOffers'>;

/** A provider as it is read. */
export interface ListedProvider extends Omit<ProviderSummary, 'registeredAt' | 'suspension'> {
  registeredAt: Date;
  suspendedAt: Date | null;
  suspensionReason: string | null;
}

/** Above every text that begins with what it is put behind: the last code point there is. */
const AFTER_ANY = '\u{10FFFF}';
/** What the index is over; letters beyond ASCII keep their case. */
const NAME = Prisma.sql`lower(p.name COLLATE "C")`;
const WALLET = Prisma.sql`p.wallet COLLATE "C"`;

/** Reads the catalogue for those who look after it. */
@Injectable()
export class OverviewStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** In the order of an index, whatever is looked for: a page costs what a page holds. */
  providers({ search, suspended, after, limit }: ListProvidersRequest): Promise<ListedProvider[]> {
    const byWallet = search?.startsWith('0x') ?? false;
    const order = byWallet ? WALLET : Prisma.sql`${NAME}, ${WALLET}`;
    const conditions = [
      ...(search === undefined ? [] : [beginsWith(byWallet, search)]),
      ...(suspended === true ? [Prisma.sql`p.suspended_at IS NOT NULL`] : []),
      ...(after === undefined ? [] : [comesAfter(byWallet, after)]),
    ];
    return this.prisma.$queryRaw<ListedProvider[]>`
      SELECT p.wallet AS provider, p.name, p.contact, p.created_at AS "registeredAt", p.suspended_at AS "suspendedAt",
        p.suspension_reason AS "suspensionReason",
        (SELECT count(*)::integer FROM catalog.offers o WHERE o.provider_wallet = p.wallet AND o.withdrawn_at IS NULL) AS offers
      FROM catalog.providers p
      WHERE ${conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ')}
      ORDER BY ${order} LIMIT ${limit}`;
  }

  async counts(): Promise<OverviewCounts> {
    const [counts] = await this.prisma.$queryRaw<OverviewCounts[]>`
      SELECT (SELECT count(*)::integer FROM catalog.models) AS models,
        (SELECT count(*)::integer FROM catalog.providers) AS providers,
        (SELECT count(*)::integer FROM catalog.providers WHERE suspended_at IS NOT NULL) AS "suspendedProviders",
        (SELECT count(*)::integer FROM catalog.offers WHERE withdrawn_at IS NULL) AS offers,
        (SELECT count(*)::integer FROM catalog.certifications WHERE status IN ('queued', 'running') AND kind = 'full')
          AS "openCertifications"`;
    if (!counts) throw new Error('nothing was counted');
    return counts;
  }
}

function beginsWith(byWallet: boolean, search: string): Prisma.Sql {
  if (byWallet) {
    const prefix = search.toLowerCase();
    return Prisma.sql`${WALLET} >= ${prefix} AND ${WALLET} < ${prefix + AFTER_ANY}`;
  }
  return Prisma.sql`${NAME} >= lower(${search}::text COLLATE "C") AND ${NAME} < lower(${search}::text COLLATE "C") || ${AFTER_ANY}`;
}

/** A provider that was renamed meanwhile is where its new name is. */
function comesAfter(byWallet: boolean, after: string): Prisma.Sql {
  if (byWallet) return Prisma.sql`${WALLET} > ${after}`;
  return Prisma.sql`(${NAME}, ${WALLET}) > (
    SELECT lower(name COLLATE "C"), wallet COLLATE "C" FROM catalog.providers WHERE wallet = ${after})`;
}
