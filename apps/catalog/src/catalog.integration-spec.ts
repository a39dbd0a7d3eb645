import { CATALOG_BUCKETS, catalogContracts, catalogKey } from '@svc/contracts';
import type { ApplyCatalogueRequest, ModelView, OfferView } from '@svc/contracts';
import type { NatsUser } from '@svc/local-servers';
import { KvView, RpcClient } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { listenService } from '@svc/service-host';
import type { ListeningService } from '@svc/service-host';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { PrivateNats, createTestDatabase, eventually, testChain } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { AppModule } from './app.module';
import { CatalogConfig } from './catalog.config';
import { modelOf, requestOf, wholeRequest } from './catalogue/catalogue.for-spec';
import { seedOffer } from './seeded-offers.for-spec';
import { SETTLEMENT } from './supply-market.for-spec';

const MODEL = 'svc/tiny@1';

let nats: PrivateNats;
let database: TestDatabase;
let prisma: PrismaClient;
let catalog: ListeningService;
let messaging: Messaging;
let setup: RpcClient;
let models: KvView<ModelView>;
let offers: KvView<OfferView>;

async function startCatalog(): Promise<ListeningService> {
  const config = Object.assign(new CatalogConfig(), {
    httpPort: 0,
    databaseUrl: database.catalogUrl,
    republishMs: 500,
    chainRpcUrl: testChain().rpcUrl,
    chainId: testChain().chainId,
    chainSettlementAddress: SETTLEMENT,
    // Nothing is there to be pinged or probed.
    heartbeatMs: 3_600_000,
    canaryMs: 3_600_000,
  });
  messaging = await nats.connectAs('catalog');
  const logger = createLogger('catalog', 'silent');
  return listenService({ module: (parts) => AppModule.forService(parts) }, { config, logger, messaging });
}

const apply = (request: ApplyCatalogueRequest) =>
  setup.call(catalogContracts.applyCatalogue, request, { timeoutMs: 30_000 });

const withdraw = (id: string, withdrawnAt: Date | null) =>
  prisma.offer.update({ where: { id }, data: { withdrawnAt } });

async function readiness(): Promise<{ status: number; body: string }> {
  const response = await fetch(`${await catalog.app.getUrl()}/health/ready`);
  return { status: response.status, body: await response.text() };
}

/** A view as a service of that user follows it. */
async function follow<T>(user: NatsUser, bucket: string): Promise<KvView<T>> {
  const view = new KvView<T>((await nats.connectAs(user)).connection, bucket, () => undefined);
  view.start();
  // A server that has just come back may leave the first question of the client library to its time-out of 5 s.
  await eventually(() => view.loaded, { timeoutMs: 20_000 });
  return view;
}

/** The revisions at which the entries of a bucket stand: unchanged while nothing was written to them. */
async function revisions(bucket: string): Promise<number> {
  const kv = await messaging.connection.jetstream().views.kv(bucket, { bindOnly: true });
  return (await kv.status()).streamInfo.state.last_seq;
}

beforeAll(async () => {
  nats = await PrivateNats.start();
  database = await createTestDatabase();
  prisma = createPrismaClient(database.catalogUrl);
  catalog = await startCatalog();
  setup = new RpcClient(await nats.connectAs('setup'));
  models = await follow<ModelView>('gateway', CATALOG_BUCKETS.models);
  offers = await follow<OfferView>('cortex', CATALOG_BUCKETS.offers);
});

afterAll(async () => {
  models.stop();
  offers.stop();
  await catalog.app.close();
  await nats.close();
  await prisma.$disconnect();
  await database.drop();
});

describe('the catalogue', () => {
  it('is ready with nothing in it', async () => {
    await eventually(async () => (await readiness()).status === 200);
    expect([...models.values()]).toEqual([]);
  });

  it('publishes what is applied, and offers, to those who may read it', async () => {
    await expect(apply(wholeRequest())).resolves.toEqual({
      models: 1,
      bundles: 1,
      profiles: 1,
      routingModels: 0,
      managedVendors: 0,
    });
    const model = await eventually(() => models.get(catalogKey(MODEL)));
    expect(model).toMatchObject(modelOf());
    expect(Math.abs(model.created - Date.now() / 1_000)).toBeLessThan(60);
    await seedOffer(prisma, { id: 'offer-1' });
    const offer = await eventually(() => offers.get(catalogKey('offer-1')));
    expect(offer).toMatchObject({ model: MODEL, endpoint: 'http://127.0.0.1:9/v1', contextLimit: 8_192 });
    await eventually(() => models.get(catalogKey(MODEL))?.pricing?.inputPricePerMtok === '100000');
  });

  it('writes only what differs, and nothing when a request is repeated', async () => {
    const before = await revisions(CATALOG_BUCKETS.offers);
    const ofModels = await revisions(CATALOG_BUCKETS.models);
    await apply(wholeRequest());
    expect(await revisions(CATALOG_BUCKETS.models)).toBe(ofModels);
    expect(await revisions(CATALOG_BUCKETS.offers)).toBe(before);
    await seedOffer(prisma, { id: 'offer-2', inputPricePerMtok: 90_000n });
    await apply(requestOf());
    await eventually(() => models.get(catalogKey(MODEL))?.pricing?.inputPricePerMtok === '90000');
    // Offers are written before models.
    expect(await revisions(CATALOG_BUCKETS.offers)).toBe(before + 1);
  });

  it('takes a withdrawn offer out of the view, and the price with the last one', async () => {
    await withdraw('offer-1', new Date());
    await eventually(() => offers.get(catalogKey('offer-1')) === undefined);
    await withdraw('offer-2', new Date());
    await eventually(() => models.get(catalogKey(MODEL))?.pricing === undefined);
    await withdraw('offer-1', null);
    await eventually(() => offers.get(catalogKey('offer-1')));
  });

  it('writes nothing of a request of which one part does not fit', async () => {
    const request = requestOf({
      models: [modelOf({ id: 'svc/never@1' })],
      bundles: [{ ...wholeRequest().bundles[0]!, id: 'other', model: 'svc/none@1' }],
    });
    await expect(apply(request)).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'bundles[0].model' },
    });
    await apply(requestOf());
    expect(models.get(catalogKey('svc/never@1'))).toBeUndefined();
  });

  it('survives a message that is no request', async () => {
    const { connection } = setup.messaging;
    for (const text of ['not JSON', '{"models":1}']) {
      await connection.request(catalogContracts.applyCatalogue.subject, text, { timeout: 10_000 });
    }
    await expect(apply(requestOf())).resolves.toMatchObject({ models: 1 });
    const metrics = await (await fetch(`${await catalog.app.getUrl()}/metrics`)).text();
    for (const reason of ['malformed', 'invalid']) {
      const labels = `subject="${catalogContracts.applyCatalogue.subject}",reason="${reason}"`;
      expect(metrics).toContain(`svc_messages_refused_total{${labels},service="catalog"} 1`);
    }
  });

  it('defines no model without a limit of its price that was mistyped', async () => {
    const model = { ...modelOf({ id: 'svc/never@1' }), maxInputPricePerMtoken: '1000000' };
    await expect(apply(requestOf({ models: [model] }))).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'models[0].maxInputPricePerMtoken' },
    });
    await apply(requestOf());
    expect(models.get(catalogKey('svc/never@1'))).toBeUndefined();
  });

  it('applies requests that come together one after the other', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `svc/many@${index}`);
    await Promise.all(ids.map((id) => apply(requestOf({ models: [modelOf({ id })] }))));
    await eventually(() => ids.every((id) => models.get(catalogKey(id))));
  });

  it('goes on when every database connection was cut', async () => {
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [database.name],
    );
    await admin.end();
    const after = requestOf({ models: [modelOf({ id: 'svc/after-database@1' })] });
    await eventually(() => setup.call(catalogContracts.applyCatalogue, after));
    await eventually(() => models.get(catalogKey('svc/after-database@1')));
    await eventually(async () => (await readiness()).status === 200);
  });

  it('mends an entry that somebody else removed or overwrote', async () => {
    const kv = await messaging.connection.jetstream().views.kv(CATALOG_BUCKETS.offers, { bindOnly: true });
    await kv.put(catalogKey('offer-1'), '{}');
    await kv.put(catalogKey('foreign'), '{}');
    await eventually(() => offers.get(catalogKey('offer-1'))?.offerId === 'offer-1');
    await eventually(() => offers.get(catalogKey('foreign')) === undefined);
  });

  it('says so while NATS is away, and publishes anew when its storage was lost', async () => {
    await nats.stop();
    await eventually(async () => (await readiness()).status === 503);
    await nats.startAgain({ storageLost: true });
    await eventually(async () => (await readiness()).status === 200);
    const late = await follow<OfferView>('dispatch', CATALOG_BUCKETS.offers);
    await eventually(() => late.get(catalogKey('offer-1')));
    late.stop();
    // Those who followed before follow again.
    await seedOffer(prisma, { id: 'offer-late' });
    await eventually(() => setup.call(catalogContracts.applyCatalogue, requestOf(), { timeoutMs: 1_000 }));
    await eventually(() => offers.get(catalogKey('offer-late')));
    expect(offers.get(catalogKey('offer-1'))).toBeDefined();
  });

  it('starts anew with what it had', async () => {
    await catalog.strategy.close();
    await catalog.app.close();
    catalog = await startCatalog();
    await eventually(async () => (await readiness()).status === 200);
    await seedOffer(prisma, { id: 'offer-new', inputPricePerMtok: 80_000n });
    await eventually(() => models.get(catalogKey(MODEL))?.pricing?.inputPricePerMtok === '80000');
    expect(offers.get(catalogKey('offer-1'))).toBeDefined();
  });

  it('shows its figures', async () => {
    const metrics = await (await fetch(`${await catalog.app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/svc_catalog_publications_total\{outcome="succeeded",service="catalog"\} [1-9]/);
    expect(metrics).toMatch(/svc_catalog_published_entries\{view="offers",service="catalog"\} [1-9]/);
  });
});
