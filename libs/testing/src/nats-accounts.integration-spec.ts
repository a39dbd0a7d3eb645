import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy, connect, RetentionPolicy, StringCodec } from 'nats';
import type { ConnectionOptions, JetStreamManager, KV, NatsConnection, NatsError } from 'nats';
import { forEachNatsUser, freePort, natsPasswords, natsUsers, startNats } from '@svc/local-servers';
import type { LocalServer, NatsUser } from '@svc/local-servers';
import { eventually } from './eventually';

const codec = StringCodec();
const stream = 'BILLING_SETTLEMENTS';
/** Only to end a hang. */
const PATIENCE_MS = 30_000;
const connections: NatsConnection[] = [];
// A server of its own: the streams made here would be in the way of other specs.
let server: LocalServer;
let directory: string;

function optionsFor(user: NatsUser): ConnectionOptions {
  return { servers: server.url, user, pass: 'secret', inboxPrefix: `_INBOX.${user}` };
}

async function connectAs(user: NatsUser): Promise<NatsConnection> {
  const connection = await connect(optionsFor(user));
  connections.push(connection);
  return connection;
}

/** What the server refused this connection, as it says it. */
function refusalsOf(connection: NatsConnection): string[] {
  const refusals: string[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      const { permissionContext } = status as { permissionContext?: { operation: string; subject: string } };
      if (permissionContext) refusals.push(`${permissionContext.operation} ${permissionContext.subject}`);
    }
  })();
  return refusals;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-nats-'));
  server = await startNats({
    dataDir: directory,
    port: await freePort(),
    configFile: join(__dirname, '../../../deploy/nats/nats.conf'),
    env: natsPasswords(forEachNatsUser(() => 'secret')),
  });
});

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
});

/** deploy/nats/nats.conf, held against the real server. */
describe('NATS accounts', () => {
  it.each([
    ['gateway', 'cortex', 'cortex.v1.plan.create'],
    ['gateway', 'billing', 'billing.v1.hold.admit'],
    ['gateway', 'billing', 'billing.v1.key.check'],
    ['gateway', 'billing', 'billing.v1.key.show'],
    ['gateway', 'billing', 'billing.v1.receipt.show'],
    ['gateway', 'dispatch', 'dispatch.v1.run.start'],
    ['gateway', 'billing', 'billing.v1.idempotency.find'],
    ['gateway', 'billing', 'billing.v1.response.read'],
    ['dispatch', 'billing', 'billing.v1.hold.settle'],
    ['dispatch', 'billing', 'billing.v1.hold.renew'],
    ['dispatch', 'billing', 'billing.v1.response.store'],
    ['setup', 'catalog', 'catalog.v1.catalogue.apply'],
    ['setup', 'catalog', 'catalog.v1.catalogue.show'],
    ['gateway', 'catalog', 'catalog.v1.supply.terms'],
    ['gateway', 'catalog', 'catalog.v1.provider.register'],
    ['gateway', 'catalog', 'catalog.v1.provider.show'],
    ['gateway', 'catalog', 'catalog.v1.provider.identify'],
    ['gateway', 'catalog', 'catalog.v1.offer.submit'],
    ['gateway', 'catalog', 'catalog.v1.offer.withdraw'],
    ['gateway', 'catalog', 'catalog.v1.market.show'],
    ['gateway', 'catalog', 'catalog.v1.certification.show'],
    ['gateway', 'billing', 'billing.v1.statement.earnings'],
    ['gateway', 'billing', 'billing.v1.payout.claim'],
    ['gateway', 'billing', 'billing.v1.key.create'],
    ['gateway', 'billing', 'billing.v1.key.list'],
    ['gateway', 'billing', 'billing.v1.key.update'],
    ['gateway', 'billing', 'billing.v1.key.rotate'],
    ['gateway', 'billing', 'billing.v1.key.revoke'],
    ['gateway', 'billing', 'billing.v1.wallet.register'],
    ['gateway', 'billing', 'billing.v1.statement.position'],
    ['gateway', 'billing', 'billing.v1.statement.credits'],
    ['gateway', 'billing', 'billing.v1.statement.usage'],
    ['gateway', 'billing', 'billing.v1.due.list'],
    ['gateway', 'billing', 'billing.v1.due.show'],
    ['gateway', 'catalog', 'catalog.v1.offer.terms'],
    ['gateway', 'catalog', 'catalog.v1.supply.builds'],
    ['gateway', 'catalog', 'catalog.v1.overview.show'],
    ['gateway', 'catalog', 'catalog.v1.provider.list'],
    ['gateway', 'catalog', 'catalog.v1.provider.suspend'],
    ['gateway', 'catalog', 'catalog.v1.provider.reinstate'],
    ['gateway', 'catalog', 'catalog.v1.offer.suspend'],
    ['gateway', 'catalog', 'catalog.v1.offer.reinstate'],
    ['gateway', 'catalog', 'catalog.v1.offer.certify'],
    ['gateway', 'catalog', 'catalog.v1.audit.list'],
    ['gateway', 'billing', 'billing.v1.wallet.list'],
    ['gateway', 'billing', 'billing.v1.wallet.suspend'],
    ['gateway', 'billing', 'billing.v1.wallet.reinstate'],
    ['gateway', 'billing', 'billing.v1.settlement.show'],
    ['gateway', 'billing', 'billing.v1.settlement.pause'],
    ['gateway', 'billing', 'billing.v1.settlement.resume'],
    ['gateway', 'billing', 'billing.v1.audit.list'],
    ['setup', 'catalog', 'catalog.v1.overview.show'],
    ['setup', 'catalog', 'catalog.v1.provider.list'],
    ['gateway', 'billing', 'billing.v1.statement.summarise'],
    ['gateway', 'billing', 'billing.v1.statement.request'],
    ['gateway', 'billing', 'billing.v1.statement.export'],
    ['gateway', 'billing', 'billing.v1.wallet.verify'],
    ['setup', 'catalog', 'catalog.v1.provider.show'],
    ['setup', 'catalog', 'catalog.v1.provider.suspend'],
    ['setup', 'catalog', 'catalog.v1.provider.reinstate'],
    ['setup', 'catalog', 'catalog.v1.offer.suspend'],
    ['setup', 'catalog', 'catalog.v1.offer.reinstate'],
    ['setup', 'catalog', 'catalog.v1.offer.certify'],
    ['setup', 'catalog', 'catalog.v1.audit.list'],
    ['catalog', 'dispatch', 'dispatch.v1.probe.call'],
    ['catalog', 'dispatch', 'dispatch.v1.probe.check'],
    ['catalog', 'dispatch', 'dispatch.v1.probe.ping'],
    ['setup', 'billing', 'billing.v1.key.create'],
    ['internal', 'billing', 'billing.v1.statement.position'],
    ['internal', 'billing', 'billing.v1.statement.summarise'],
    ['internal', 'billing', 'billing.v1.statement.usage'],
    ['internal', 'billing', 'billing.v1.statement.request'],
    ['internal', 'billing', 'billing.v1.statement.earnings'],
    ['internal', 'billing', 'billing.v1.statement.credits'],
    ['internal', 'billing', 'billing.v1.statement.export'],
    ['internal', 'billing', 'billing.v1.receipt.show'],
    ['internal', 'billing', 'billing.v1.ledger.balance'],
    ['internal', 'billing', 'billing.v1.ledger.credit'],
    ['internal', 'billing', 'billing.v1.ledger.refund'],
    ['internal', 'billing', 'billing.v1.wallet.list'],
    ['internal', 'billing', 'billing.v1.audit.list'],
    ['internal', 'billing', 'billing.v1.wallet.suspend'],
    ['internal', 'billing', 'billing.v1.wallet.reinstate'],
    ['internal', 'billing', 'billing.v1.settlement.list'],
    ['internal', 'billing', 'billing.v1.settlement.batch'],
    ['internal', 'billing', 'billing.v1.settlement.show'],
    ['internal', 'billing', 'billing.v1.settlement.pause'],
    ['internal', 'billing', 'billing.v1.settlement.resume'],
    ['internal', 'billing', 'billing.v1.payout.claim'],
  ] as const)('%s asks %s: %s', async (caller, callee, subject) => {
    const [asking, answering] = [await connectAs(caller), await connectAs(callee)];
    answering.subscribe(subject, {
      queue: callee,
      callback: (_error, message) => void message.respond(codec.encode('yes')),
    });
    await answering.flush();
    const reply = await asking.request(subject, codec.encode('?'), { timeout: PATIENCE_MS });
    expect(codec.decode(reply.data)).toBe('yes');
  });

  it.each([
    ['dispatch', 'cortex', 'dispatch.v1.health.report'],
    ['dispatch', 'catalog', 'dispatch.v1.health.report'],
    ['dispatch', 'gateway', 'dispatch.v1.instance.alive'],
    ['dispatch', 'dispatch', 'dispatch.v1.instance.alive'],
    ['dispatch', 'dispatch', 'dispatch.v1.place.wanted'],
    ['gateway', 'dispatch', 'gateway.v1.instance.alive'],
    ['gateway', 'dispatch', 'dispatch.v1.run.cancel.req_1'],
    ['gateway', 'dispatch', 'dispatch.v1.run.attach.req_1'],
    ['gateway', 'dispatch', 'dispatch.v1.run.detach.gate0001-a'],
    ['dispatch', 'gateway', '_INBOX.gateway.instance.x'],
    ['dispatch', 'gateway', '_INBOX.gateway.instance.BUNDLE'],
    ['gateway', 'billing', '_INBOX.billing.instance.export.1'],
    ['internal', 'billing', '_INBOX.billing.instance.export.1'],
  ] as const)('%s tells %s: %s', async (from, to, subject) => {
    const [telling, hearing] = [await connectAs(from), await connectAs(to)];
    const heard = hearing.subscribe(subject, { max: 1 });
    await hearing.flush();
    telling.publish(subject, codec.encode('news'));
    for await (const message of heard) expect(codec.decode(message.data)).toBe('news');
  });

  it.each([
    ['gateway', 'billing.v1.hold.settle'],
    // It can let go of holds, by `.release`, and charge nothing.
    ['gateway', 'billing.v1.settlement.defer'],
    ['gateway', 'billing.v1.response.store'],
    ['dispatch', 'billing.v1.response.read'],
    ['dispatch', 'billing.v1.idempotency.find'],
    ['dispatch', 'dispatch.v1.run.attach.req_1'],
    ['setup', 'billing.v1.response.read'],
    ['gateway', '_INBOX.dispatch.x'],
    ['gateway', '$KV.catalog_models.x'],
    ['cortex', 'billing.v1.hold.admit'],
    ['cortex', '_INBOX.gateway.x'],
    // Where billing's answers are waited for.
    ['cortex', '_INBOX.gateway.instance.billing.x'],
    ['catalog', '_INBOX.gateway.instance.billing.x'],
    ['billing', '_INBOX.gateway.instance.cortex.x'],
    // It would say who signed in, and who may have keys.
    ['dispatch', '_INBOX.gateway.instance.billing.x'],
    ['gateway', '_INBOX.dispatch.instance.billing.x'],
    ['billing', '_INBOX.gateway.x'],
    ['gateway', '_INBOX.billing.instance.x'],
    ['dispatch', '_INBOX.billing.instance.export.1'],
    ['catalog', '_INBOX.setup.x'],
    ['dispatch', 'dispatch.v1.run.start'],
    ['setup', 'billing.v1.hold.settle'],
    ['cortex', 'dispatch.v1.run.start'],
    ['dispatch', 'billing.v1.hold.admit'],
    ['dispatch', 'cortex.v1.plan.create'],
    ['dispatch', '$KV.catalog_offers.x'],
    ['dispatch', '$JS.API.STREAM.DELETE.KV_catalog_offers'],
    ['dispatch', '$JS.API.STREAM.DELETE.KV_dispatch_places'],
    ['dispatch', '$JS.API.STREAM.PURGE.KV_dispatch_places'],
    // It would read what others send each other, and say what only others may.
    ['catalog', '$JS.API.STREAM.UPDATE.KV_catalog_models'],
    ['catalog', '$JS.API.STREAM.UPDATE.KV_catalog_offers'],
    // Answered with what is stored, wherever the answer is asked for.
    ['catalog', '$JS.API.DIRECT.GET.KV_catalog_models'],
    ['catalog', '$JS.API.DIRECT.GET.KV_catalog_offers.$KV.catalog_offers.x'],
    ['gateway', '$JS.API.DIRECT.GET.KV_catalog_models'],
    ['cortex', '$JS.API.DIRECT.GET.KV_catalog_offers'],
    ['dispatch', '$JS.API.DIRECT.GET.KV_catalog_offers'],
    ['gateway', '$KV.dispatch_places.x'],
    ['dispatch', '$KV.gateway_sessions.x'],
    ['billing', '$KV.gateway_sessions.x'],
    ['setup', '$JS.API.STREAM.MSG.GET.KV_gateway_sessions'],
    ['internal', '$JS.API.STREAM.MSG.GET.KV_gateway_sessions'],
    ['catalog', '$KV.gateway_nonces.x'],
    ['gateway', '$JS.API.STREAM.DELETE.KV_gateway_nonces'],
    ['gateway', '$JS.API.STREAM.PURGE.KV_gateway_nonces'],
    ['gateway', '$JS.API.STREAM.DELETE.KV_gateway_sessions'],
    ['gateway', 'dispatch.v1.place.wanted'],
    ['cortex', '$KV.dispatch_places.x'],
    ['catalog', '$KV.dispatch_places.x'],
    ['catalog', '$JS.API.STREAM.INFO.KV_dispatch_places'],
    ['dispatch', '$JS.API.CONSUMER.CREATE.BILLING_SETTLEMENTS'],
    ['billing', 'dispatch.v1.run.start'],
    ['billing', '$KV.catalog_models.x'],
    ['catalog', 'billing.v1.wallet.suspend'],
    ['catalog', '$JS.API.STREAM.DELETE.BILLING_SETTLEMENTS'],
    ['gateway', 'catalog.v1.catalogue.apply'],
    ['gateway', 'catalog.v1.catalogue.show'],
    ['gateway', 'dispatch.v1.probe.call'],
    ['gateway', 'dispatch.v1.health.report'],
    ['setup', 'catalog.v1.provider.register'],
    ['setup', 'catalog.v1.offer.submit'],
    ['setup', 'catalog.v1.offer.withdraw'],
    ['setup', 'dispatch.v1.probe.call'],
    ['cortex', 'catalog.v1.offer.suspend'],
    ['cortex', 'dispatch.v1.probe.call'],
    ['dispatch', 'catalog.v1.offer.suspend'],
    ['internal', 'catalog.v1.offer.suspend'],
    ['billing', 'dispatch.v1.probe.call'],
    ['catalog', 'dispatch.v1.run.start'],
    ['catalog', 'dispatch.v1.health.report'],
    ['catalog', 'billing.v1.hold.admit'],
    ['setup', 'dispatch.v1.run.start'],
    ['setup', '_INBOX.gateway.x'],
    ['gateway', 'billing.v1.ledger.credit'],
    ['gateway', 'billing.v1.ledger.refund'],
    ['dispatch', 'catalog.v1.offer.terms'],
    ['internal', 'catalog.v1.provider.list'],
    ['dispatch', 'billing.v1.receipt.show'],
    ['setup', 'billing.v1.ledger.refund'],
    ['internal', 'billing.v1.hold.admit'],
    ['internal', 'billing.v1.hold.settle'],
    ['internal', 'billing.v1.key.create'],
    ['internal', 'billing.v1.due.list'],
    ['internal', 'billing.v1.key.show'],
    ['internal', 'billing.v1.wallet.register'],
    ['internal', 'billing.v1.settlement.defer'],
    ['internal', 'billing.v1.settlement.release'],
    ['setup', 'billing.v1.settlement.defer'],
    ['setup', 'billing.v1.settlement.release'],
    ['dispatch', 'billing.v1.settlement.release'],
    ['internal', 'billing.v1.response.read'],
    ['internal', '_INBOX.billing.x'],
    ['internal', 'billing.v1.event.usage-settled'],
    ['billing', 'billing.v1.event.usage-settled'],
  ] as const)('%s may not publish to %s', async (user, subject) => {
    const connection = await connectAs(user);
    const refusals = refusalsOf(connection);
    connection.publish(subject, codec.encode('x'));
    await eventually(() => refusals.includes(`publish ${subject}`));
  });

  it.each([
    ['gateway', 'billing.v1.hold.admit'],
    ['gateway', '_INBOX.billing.>'],
    ['gateway', '>'],
    ['cortex', '_INBOX.gateway.>'],
    ['dispatch', '_INBOX.>'],
    ['dispatch', '$KV.dispatch_places.>'],
    ['gateway', 'dispatch.v1.place.wanted'],
    ['dispatch', '$KV.gateway_sessions.>'],
    ['dispatch', 'billing.v1.settlement.>'],
    ['billing', '_INBOX.gateway.>'],
    ['catalog', 'billing.v1.>'],
    ['gateway', 'catalog.v1.>'],
    ['dispatch', 'catalog.v1.>'],
    ['catalog', 'dispatch.v1.probe.>'],
    ['cortex', 'dispatch.v1.probe.>'],
    ['setup', 'catalog.v1.>'],
    ['setup', 'billing.v1.>'],
    ['internal', 'dispatch.v1.>'],
    ['internal', 'billing.v1.statement.>'],
    ['internal', '_INBOX.gateway.>'],
  ] as const)('%s may not subscribe to %s', async (user, subject) => {
    const connection = await connectAs(user);
    const refused = new Promise<NatsError | null>((resolve) => {
      connection.subscribe(subject, { callback: (error) => resolve(error) });
    });
    expect((await refused)?.code).toBe('PERMISSIONS_VIOLATION');
  });

  it.each(natsUsers)('%s is refused with a wrong password', async (user) => {
    await expect(connect({ ...optionsFor(user), pass: 'wrong', reconnect: false })).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
  });

  it.each([
    ['catalog_models', 'gateway'],
    ['catalog_offers', 'cortex'],
    ['catalog_offers', 'dispatch'],
  ] as const)('the catalog writes %s and %s follows it', async (bucket, reader) => {
    const written = await (await connectAs('catalog')).jetstream().views.kv(bucket, { history: 1 });
    await written.put(`${reader}.first`, 'one');
    const connection = await connectAs(reader);
    const refusals = refusalsOf(connection);
    const view = await connection.jetstream().views.kv(bucket, { bindOnly: true });
    const seen = await follow(view, `${reader}.>`);
    await written.put(`${reader}.second`, 'two');
    await written.delete(`${reader}.first`);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual([`PUT ${reader}.first`, `PUT ${reader}.second`, `DEL ${reader}.first`]);
    expect((await view.get(`${reader}.second`))?.string()).toBe('two');
    expect((await view.status()).values).toBeGreaterThan(0);
    expect(refusals).toEqual([]);
  });

  it('dispatch makes, writes against a revision and follows the bucket of places', async () => {
    const [writer, other] = [await connectAs('dispatch'), await connectAs('dispatch')];
    const refusals = [...refusalsOf(writer), ...refusalsOf(other)];
    const options = { history: 1, allow_direct: false };
    const written = await writer.jetstream().views.kv('dispatch_places', options);
    const revision = await written.put('offer', '{"a":1}', { previousSeq: 0 });
    const followed = await other.jetstream().views.kv('dispatch_places', options);
    const seen = await follow(followed, '>');
    expect((await followed.get('offer'))?.revision).toBe(revision);
    await followed.put('offer', '{"b":1}', { previousSeq: revision });
    await expect(written.put('offer', '{}', { previousSeq: revision })).rejects.toMatchObject({
      api_error: { err_code: 10071 },
    });
    await eventually(() => seen.length === 2);
    expect(refusals).toEqual([]);
  });

  it.each([
    ['dispatch', 'billing.v1.settlement.defer'],
    ['gateway', 'billing.v1.settlement.release'],
  ] as const)(
    'billing makes and drains the queue of settlements that %s fills by %s',
    async (user, subject) => {
      const billing = await connectAs('billing');
      const manager: JetStreamManager = await billing.jetstreamManager();
      await manager.streams.add({
        name: stream,
        subjects: ['billing.v1.settlement.defer', 'billing.v1.settlement.release'],
        retention: RetentionPolicy.Workqueue,
      });
      await manager.consumers.add(stream, { durable_name: 'billing', ack_policy: AckPolicy.Explicit });
      const sender = await connectAs(user);
      const stored = await sender
        .jetstream()
        .publish(subject, codec.encode('due'), { msgID: `hold-of-${user}`, timeout: PATIENCE_MS });
      expect(stored.stream).toBe(stream);
      const consumer = await billing.jetstream().consumers.get(stream, 'billing');
      const message = await consumer.next({ expires: PATIENCE_MS });
      expect([message?.string(), message?.subject]).toEqual(['due', subject]);
      expect(await message?.ackAck()).toBe(true);
      await eventually(async () => (await manager.streams.info(stream)).state.messages === 0);
    },
  );
});

/** Watches a bucket from its beginning; resolves once what was there has been read. */
async function follow(view: KV, key: string): Promise<string[]> {
  const seen: string[] = [];
  await new Promise<void>((loaded, failed) => {
    void (async () => {
      const watch = await view.watch({ key, initializedFn: () => loaded() });
      for await (const entry of watch) seen.push(`${entry.operation} ${entry.key}`);
    })().catch(failed);
  });
  return seen;
}

it('takes a client that no longer answers out of its queue groups within half a minute', async () => {
  const { hostname, port } = new URL(server.url);
  // A process, a machine or a network that stands still: nothing closes its connection.
  const silent = connectSocket(Number(port), hostname);
  let said = '';
  silent.on('data', (data) => (said += data.toString()));
  silent.on('error', () => undefined);
  try {
    silent.write('CONNECT {"user":"billing","pass":"secret","verbose":false}\r\nPING\r\n');
    silent.write('SUB billing.v1.hold.admit billing 1\r\n');
    await eventually(() => said.includes('PONG'), { timeoutMs: PATIENCE_MS });
    await eventually(() => said.includes('Stale Connection'), { timeoutMs: PATIENCE_MS });
  } finally {
    silent.destroy();
  }
});
