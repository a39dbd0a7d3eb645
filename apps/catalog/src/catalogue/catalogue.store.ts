import { Inject, Injectable } from '@nestjs/common';
import type { AppliedCatalogue, ApplyCatalogueRequest, ShownCatalogue } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import type { AuditRecord } from '../audit/audit.store';
import { lockCatalogue } from '../database/locks';
import { DATABASE } from '../database/tokens';
import {
  bundleRow,
  fromRow,
  managedVendorRow,
  modelRow,
  routingModelRow,
} from '../definitions/definition-rows';
import type { Catalogue, CatalogueChanges, StandingOffers } from './catalogue';

/** What may be done while nobody else changes the catalogue. */
interface LockedCatalogue {
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

  /** What answers beside providers' offers, in the order of their names. */
  async show(): Promise<ShownCatalogue> {
    const routingModels = await this.prisma.routingModel.findMany({ orderBy: { id: 'asc' } });
    const vendors = await this.prisma.managedVendor.findMany({ orderBy: { mapping: 'asc' } });
    return {
      routingModels: routingModels.map((row) => fromRow.routingModels(row)),
      managedVendors: vendors.map((row) => {
        const { credential, ...shown } = fromRow.managedVendors(row);
        return { ...shown, hasCredential: credential !== undefined, version: row.version };
      }),
    };
  }

  /** Where vendors that are not retired are called now, by mapping. */
  async vendorEndpoints(mappings: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (mappings.length === 0) return new Map();
    const rows = await this.prisma.managedVendor.findMany({
      where: { mapping: { in: [...mappings] }, retired: false },
      select: { mapping: true, endpoint: true },
    });
    return new Map(rows.map(({ mapping, endpoint }) => [mapping, endpoint]));
  }
}

async function readNamed(tx: Prisma.TransactionClient, request: ApplyCatalogueRequest): Promise<Catalogue> {
  const { models, bundles, profiles, routingModels = [], managedVendors = [] } = request;
  const ids = (definitions: readonly { id: string }[]) => definitions.map(({ id }) => id);
  const named = (names: readonly string[]) => ({ where: { id: { in: [...names] } } });
  // A model and a routing model must not have one id, so both are looked for under each.
  const either = [...ids(models), ...ids(routingModels)];
  const referred = [
    ...[...bundles, ...managedVendors].map(({ model }) => model),
    ...routingModels.flatMap(({ candidates }) => candidates),
  ];
  const modelRows = await tx.catalogModel.findMany(named([...either, ...referred]));
  const bundleRows = await tx.bundle.findMany(named(ids(bundles)));
  const profileRows = await tx.profile.findMany(named(ids(profiles)));
  const routingRows = await tx.routingModel.findMany(named(either));
  const mapping = { in: managedVendors.map((vendor) => vendor.mapping) };
  const vendorRows = await tx.managedVendor.findMany({ where: { mapping } });
  return {
    models: new Map(modelRows.map((row) => [row.id, fromRow.models(row)])),
    bundles: new Map(bundleRows.map((row) => [row.id, fromRow.bundles(row)])),
    profiles: new Map(profileRows.map((row) => [row.id, fromRow.profiles(row)])),
    routingModels: new Map(routingRows.map((row) => [row.id, fromRow.routingModels(row)])),
    managedVendors: new Map(vendorRows.map((row) => [row.mapping, fromRow.managedVendors(row)])),
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
  const { models, bundles, profiles, routingModels, managedVendors } = changes;
  await tx.catalogModel.createMany({ data: models.added.map(modelRow) });
  await tx.bundle.createMany({ data: bundles.added.map(bundleRow) });
  await tx.profile.createMany({ data: profiles.added });
  for (const model of models.redefined) {
    await tx.catalogModel.update({ where: { id: model.id }, data: modelRow(model) });
  }
  await tx.routingModel.createMany({ data: routingModels.added.map(routingModelRow) });
  for (const model of routingModels.redefined) {
    await tx.routingModel.update({ where: { id: model.id }, data: routingModelRow(model) });
  }
  await tx.managedVendor.createMany({ data: managedVendors.added.map(managedVendorRow) });
  for (const vendor of managedVendors.redefined) {
    const data = { ...managedVendorRow(vendor), version: { increment: 1 } };
    await tx.managedVendor.update({ where: { mapping: vendor.mapping }, data });
  }
}

async function countAll(tx: Prisma.TransactionClient): Promise<AppliedCatalogue> {
  const models = await tx.catalogModel.count();
  const bundles = await tx.bundle.count();
  const profiles = await tx.profile.count();
  const routingModels = await tx.routingModel.count();
  const managedVendors = await tx.managedVendor.count({ where: { retired: false } });
  return { models, bundles, profiles, routingModels, managedVendors };
}
