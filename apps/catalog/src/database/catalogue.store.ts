import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { DATABASE } from './tokens';
import type { Catalogue, CatalogueChanges } from '../catalogue/catalogue';
import { bundleRow, fromRow, modelRow, offerRow, profileRow, providerRow } from './catalogue-rows';

/** The catalogue as it stands in the tables. */
export interface StoredCatalogue extends Catalogue {
  readonly modelCreatedAt: ReadonlyMap<string, Date>;
}

/** What may be done while the catalogue is one's own. */
export interface LockedCatalogue {
  readonly stored: StoredCatalogue;
  readonly write: (changes: CatalogueChanges) => Promise<void>;
}

/** Advisory lock of the whole catalogue; the number only has to be the same everywhere. */
const CATALOGUE_LOCK = 20_261_121;
const LOCK_PATIENCE_MS = 5_000;

/** The catalogue's tables. */
@Injectable()
export class CatalogueStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Runs `work` on the whole catalogue in one transaction while nobody else reads or changes it this way. Applying and publishing
   * both go through here, on every replica: so no older view can be published over a newer one.
   * @param timeoutMs after which the transaction is rolled back and rejected
   */
  exclusively<T>(work: (catalogue: LockedCatalogue) => Promise<T>, timeoutMs: number): Promise<T> {
    return this.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK}::bigint)`;
        const stored = await readAll(transaction);
        return work({ stored, write: (changes) => writeAll(transaction, changes) });
      },
      { timeout: timeoutMs, maxWait: LOCK_PATIENCE_MS },
    );
  }
}

async function readAll(transaction: Prisma.TransactionClient): Promise<StoredCatalogue> {
  const models = await transaction.catalogModel.findMany();
  const bundles = await transaction.bundle.findMany();
  const profiles = await transaction.profile.findMany();
  const providers = await transaction.provider.findMany();
  const offers = await transaction.offer.findMany();
  return {
    models: new Map(models.map((row) => [row.id, fromRow.models(row)])),
    bundles: new Map(bundles.map((row) => [row.id, fromRow.bundles(row)])),
    profiles: new Map(profiles.map((row) => [row.id, fromRow.profiles(row)])),
    providers: new Map(providers.map((row) => [row.wallet, fromRow.providers(row)])),
    offers: new Map(offers.map((row) => [row.id, fromRow.offers(row)])),
    modelCreatedAt: new Map(models.map((row) => [row.id, row.createdAt])),
  };
}

/** Bundles and profiles stand for good, so they are only ever added. */
async function writeAll(transaction: Prisma.TransactionClient, changes: CatalogueChanges): Promise<void> {
  const { models, bundles, profiles, providers, offers } = changes;
  await transaction.catalogModel.createMany({ data: models.added.map(modelRow) });
  await transaction.bundle.createMany({ data: bundles.added.map(bundleRow) });
  await transaction.profile.createMany({ data: profiles.added.map(profileRow) });
  await transaction.provider.createMany({ data: providers.added.map(providerRow) });
  await transaction.offer.createMany({ data: offers.added.map(offerRow) });
  for (const model of models.redefined) {
    await transaction.catalogModel.update({ where: { id: model.id }, data: modelRow(model) });
  }
  for (const provider of providers.redefined) {
    await transaction.provider.update({ where: { wallet: provider.wallet }, data: providerRow(provider) });
  }
  for (const offer of offers.redefined) {
    await transaction.offer.update({ where: { id: offer.id }, data: offerRow(offer) });
  }
}
