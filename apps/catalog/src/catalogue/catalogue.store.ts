import { Inject, Injectable } from '@nestjs/common';
import type { AppliedCatalogue, ApplyCatalogueRequest } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import type { AuditRecord } from '../audit/audit.store';
import { lockCatalogue } from '../database/locks';
import { DATABASE } from '../database/tokens';
import type { Catalogue, CatalogueChanges, StandingOffers } from './catalogue';
import { bundleRow, fromRow, modelRow } from './catalogue-rows';

/** What may be done while nobody else changes the catalogue. */
export interface LockedCatalogue {
  readonly stored: Catalogue;
  readonly standing: StandingOffers;
  /** @param records what the audit trail says of it */
  readonly write: (changes: CatalogueChanges, records: readonly AuditRecord[]) => Promise<AppliedCatalogue>;
}

const LOCK_PATIENCE_MS = 5_000;

/** The tables of definitions. */
@Injectable()
export class CatalogueStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly audit: AuditStore,
  ) {}

  /**
   * Runs `work` in one transaction, with what is stored of the request's subjects, while nobody else defines or offers anything.
   * @param timeoutMs after which the transaction is rolled back and rejected
   */
  exclusively<T>(
    request: ApplyCatalogueRequest,
    work: (catalogue: LockedCatalogue) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    return this.prisma.$transaction(
      async (tx) => {
        await lockCatalogue(tx, 'exclusive');
        const stored = await readNamed(tx, request);
        const standing = await readStanding(
          tx,
          request.models.map(({ id }) => id),
        );
        return work({
          stored,
          standing,
          write: async (changes, records) => {
            await writeAll(tx, changes);
            await this.audit.write(tx, ...records);
            return countAll(tx);
          },
        });
      },
      { timeout: timeoutMs, maxWait: LOCK_PATIENCE_MS },
    );
  }
}

async function readNamed(tx: Prisma.TransactionClient, request: ApplyCatalogueRequest): Promise<Catalogue> {
  const named = (definitions: readonly { id: string }[]) => ({
    where: { id: { in: definitions.map(({ id }) => id) } },
  });
  const referred = request.bundles.map(({ model }) => ({ id: model }));
  const models = await tx.catalogModel.findMany(named([...request.models, ...referred]));
  const bundles = await tx.bundle.findMany(named(request.bundles));
  const profiles = await tx.profile.findMany(named(request.profiles));
  return {
    models: new Map(models.map((row) => [row.id, fromRow.models(row)])),
    bundles: new Map(bundles.map((row) => [row.id, fromRow.bundles(row)])),
    profiles: new Map(profiles.map((row) => [row.id, fromRow.profiles(row)])),
  };
}

/** Offers that something speaks against for the moment may come back: they count as live here. */
async function readStanding(
  tx: Prisma.TransactionClient,
  modelIds: readonly string[],
): Promise<StandingOffers> {
  if (modelIds.length === 0) return new Map();
  const rows = await tx.$queryRaw<{ model: string; offerId: string; contextLimit: number }[]>`
    SELECT DISTINCT ON (b.model_id) b.model_id AS model, o.id AS "offerId", v.context_limit AS "contextLimit"
    FROM catalog.offers o
    JOIN catalog.bundles b ON b.id = o.bundle_id
    JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.live_version
    WHERE b.model_id = ANY(${modelIds}::text[]) AND o.withdrawn_at IS NULL AND v.expires_at > now()
    ORDER BY b.model_id, v.context_limit DESC, o.id`;
  return new Map(rows.map(({ model, ...offer }) => [model, offer]));
}

/** Bundles and profiles stand for good, so they are only ever added. */
async function writeAll(tx: Prisma.TransactionClient, changes: CatalogueChanges): Promise<void> {
  const { models, bundles, profiles } = changes;
  await tx.catalogModel.createMany({ data: models.added.map(modelRow) });
  await tx.bundle.createMany({ data: bundles.added.map(bundleRow) });
  await tx.profile.createMany({ data: profiles.added });
  for (const model of models.redefined) {
    await tx.catalogModel.update({ where: { id: model.id }, data: modelRow(model) });
  }
}

async function countAll(tx: Prisma.TransactionClient): Promise<AppliedCatalogue> {
  const models = await tx.catalogModel.count();
  const bundles = await tx.bundle.count();
  const profiles = await tx.profile.count();
  return { models, bundles, profiles, routingModels: 0, managedVendors: 0 };
}
