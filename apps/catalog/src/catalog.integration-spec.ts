import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CATALOG_BUCKETS, catalogContracts, catalogKey } from '@svc/contracts';
import type { ApplyCatalogueRequest, ModelView, OfferView } from '@svc/contracts';
import { forEachNatsUser, freePort, natsPasswords, startNats } from '@svc/local-servers';
import type { LocalServer, NatsUser } from '@svc/local-servers';
import { KvView, NatsRpcStrategy, RpcClient, connectMessaging } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { AppModule } from './app.module';
import { CatalogConfig } from './catalog.config';
import { modelOf, offerOf, requestOf, wholeRequest } from './catalogue/catalogue.for-spec';

const MODEL = 'svc/tiny@1';

let directory: string;
let natsPort: number;
let nats: LocalServer;
let database: TestDatabase;
let app: NestFastifyApplication;
let messaging: Messaging;
let setup: RpcClient;
let models: KvView<ModelView>;
let offers: KvView<OfferView>;
const connections: Messaging[] = [];

/** A server of this spec's own: the views are named alike everywhere, and it is stopped here. */
function startOwnNats(): Promise<LocalServer> {
  return startNats({
    dataDir: join(directory, 'nats'),
    port: natsPort,
    configFile: join(__dirname, '../../../deploy/nats/nats.conf'),
    env: natsPasswords(forEachNatsUser(() => 'secret')),
  });
}

async function connectAs(user: NatsUser): Promise<Messaging> {
  const connected = await connectMessaging(user, {
    natsUrl: nats.url,
    natsUser: user,
    natsPassword: 'secret',
  });
  connections.push(connected);
  return connected;
}

async function startCatalog(): Promise<NestFastifyApplication> {
  const config = Object.assign(new CatalogConfig(), { databaseUrl: database.catalogUrl, republishMs: 500 });
  messaging = await connectAs('catalog');
  const logger = createLogger('catalog', 'silent');
  const started = await NestFactory.create<NestFastifyApplication>(
    AppModule.forService({ config, logger, messaging }),
    new FastifyAdapter(),
    { logger: false },
  );
  const strategy = new NatsRpcStrategy(messaging, {
    refused: () => undefined,
    failed: () => undefined,
  });
  started.connectMicroservice({ strategy }, { inheritAppConfig: false });
  await started.startAllMicroservices();
  await started.listen(0, '127.0.0.1');
  return started;
}

const apply = (request: ApplyCatalogueRequest) => setup.call(catalogContracts.applyCatalogue, request);

async function readiness(): Promise<{ status: number; body: string }> {
  const response = await fetch(`${await app.getUrl()}/health/ready`);
  return { status: response.status, body: await response.text() };
}

/** A view as a service of that user follows it. */
async function follow<T>(user: NatsUser, bucket: string): Promise<KvView<T>> {
  const view = new KvView<T>((await connectAs(user)).connection, bucket, () => undefined);
  view.start();
  await eventually(() => view.loaded);
  return view;
}

/** The revisions at which the entries of a bucket stand: unchanged while nothing was written to them. */
async function revisions(bucket: string): Promise<number> {
  const kv = await messaging.connection.jetstream().views.kv(bucket, { bindOnly: true });
  return (await kv.status()).streamInfo.state.last_seq;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-catalog-'));
  natsPort = await freePort();
  nats = await startOwnNats();
  database = await createTestDatabase();
  app = await startCatalog();
  setup = new RpcClient(await connectAs('setup'));
  models = await follow<ModelView>('gateway', CATALOG_BUCKETS.models);
  offers = await follow<OfferView>('cortex', CATALOG_BUCKETS.offers);
});

afterAll(async () => {
  models.stop();
  offers.stop();
  await app.close();
  await Promise.all(connections.map(({ connection }) => connection.close()));
  await nats.stop();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

describe('the catalogue', () => {
  it('is ready with nothing in it', async () => {
    await eventually(async () => (await readiness()).status === 200);
    expect([...models.values()]).toEqual([]);
  });

  it('publishes what is applied to those who may read it', async () => {
    await expect(apply(wholeRequest())).resolves.toEqual({ models: 1, liveOffers: 1 });
    const model = await eventually(() => models.get(catalogKey(MODEL)));
    expect(model).toMatchObject({ ...modelOf(), pricing: { inputPricePerMtok: '100000' } });
    expect(Math.abs(model.created - Date.now() / 1_000)).toBeLessThan(60);
    const offer = await eventually(() => offers.get(catalogKey('offer-1')));
    expect(offer).toMatchObject({ model: MODEL, endpoint: 'http://127.0.0.1:9/v1', contextLimit: 8_192 });
  });

  it('writes only what differs, and nothing when a request is repeated', async () => {
    const before = await revisions(CATALOG_BUCKETS.offers);
    await apply(wholeRequest());
    expect(await revisions(CATALOG_BUCKETS.offers)).toBe(before);
    await apply(requestOf({ offers: [offerOf({ id: 'offer-2', inputPricePerMtok: '90000' })] }));
    expect(await revisions(CATALOG_BUCKETS.offers)).toBe(before + 1);
    await eventually(() => models.get(catalogKey(MODEL))?.pricing?.inputPricePerMtok === '90000');
  });

  it('takes a withdrawn offer out of the view, and the price with the last one', async () => {
    await apply(requestOf({ offers: [offerOf({ active: false })] }));
    await eventually(() => offers.get(catalogKey('offer-1')) === undefined);
    await apply(requestOf({ offers: [offerOf({ id: 'offer-2', active: false })] }));
    await eventually(() => models.get(catalogKey(MODEL))?.pricing === undefined);
    await apply(requestOf({ offers: [offerOf()] }));
    await eventually(() => offers.get(catalogKey('offer-1')));
  });

  it('keeps a tool contract as it was given', async () => {
    const toolContract = {
      tool_choice: ['auto', 'none'],
      parallel_tool_calls: false,
      strict_schemas: true,
      tool_streaming: 'buffered',
      max_argument_bytes: 0,
      certified_concurrency: 4,
      agentic_certified: false,
      metering_version: 1,
      certification_id: 'cert-1',
    };
    await apply(requestOf({ models: [modelOf({ id: 'svc/tools@1', toolContract })] }));
    const view = await eventually(() => models.get(catalogKey('svc/tools@1')));
    expect(view.toolContract).toEqual(toolContract);
    const before = await revisions(CATALOG_BUCKETS.models);
    await apply(requestOf({ models: [modelOf({ id: 'svc/tools@1', toolContract })] }));
    expect(await revisions(CATALOG_BUCKETS.models)).toBe(before);
    await apply(requestOf({ models: [modelOf({ id: 'svc/tools@1' })] }));
    await eventually(() => models.get(catalogKey('svc/tools@1'))?.toolContract === undefined);
  });

  it('writes nothing of a request of which one part does not fit', async () => {
    const request = requestOf({
      models: [modelOf({ id: 'svc/never@1' })],
      offers: [offerOf({ id: 'offer-3', bundle: 'nothing' })],
    });
    await expect(apply(request)).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'offers[0].bundle' },
    });
    await apply(requestOf());
    expect(models.get(catalogKey('svc/never@1'))).toBeUndefined();
  });

  it('survives a message that is no request', async () => {
    const { connection } = setup.messaging;
    connection.publish(catalogContracts.applyCatalogue.subject, 'not JSON');
    connection.publish(catalogContracts.applyCatalogue.subject, '{"models":1}');
    await expect(apply(requestOf())).resolves.toMatchObject({ models: 2 });
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
    await eventually(() => apply(requestOf({ models: [modelOf({ id: 'svc/after-database@1' })] })));
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
    rmSync(join(directory, 'nats'), { recursive: true });
    nats = await startOwnNats();
    await eventually(async () => (await readiness()).status === 200, { timeoutMs: 10_000 });
    const late = await follow<OfferView>('dispatch', CATALOG_BUCKETS.offers);
    await eventually(() => late.get(catalogKey('offer-1')), { timeoutMs: 10_000 });
    late.stop();
    // Those who followed before follow again.
    const added = requestOf({ offers: [offerOf({ id: 'offer-late' })] });
    await eventually(() => setup.call(catalogContracts.applyCatalogue, added, { timeoutMs: 1_000 }));
    await eventually(() => offers.get(catalogKey('offer-late')));
    expect(offers.get(catalogKey('offer-1'))).toBeDefined();
  });

  it('starts anew with what it had', async () => {
    await app.close();
    await messaging.connection.close();
    app = await startCatalog();
    await eventually(async () => (await readiness()).status === 200);
    await apply(requestOf({ offers: [offerOf({ inputPricePerMtok: '80000' })] }));
    await eventually(() => offers.get(catalogKey('offer-1'))?.inputPricePerMtok === '80000');
  });

  it('shows its figures', async () => {
    const metrics = await (await fetch(`${await app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/svc_catalog_publications_total\{outcome="succeeded",service="catalog"\} [1-9]/);
    expect(metrics).toMatch(/svc_catalog_published_entries\{view="offers",service="catalog"\} [1-9]/);
  });
});
