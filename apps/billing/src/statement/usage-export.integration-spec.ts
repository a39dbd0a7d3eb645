import { once } from 'node:events';
import { USAGE_EXPORT } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { connectMessaging } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { eventually } from '@svc/testing';
import { connectBilling } from '@svc/billing-client';
import type { Msg, Subscription } from 'nats';
import { addWallet, untilReadable } from '../ledger/ledger.for-spec';
import { ProjectionService } from '../receipt/projection.service';
import { ProjectionStore } from '../receipt/projection.store';
import { StatementHarness, addUsage } from './statement.for-spec';
import { UsageExportService } from './usage-export.service';

const ROWS = 12_345;
let harness: StatementHarness;
let exports: UsageExportService;
let wallet: string;

beforeAll(async () => {
  harness = await StatementHarness.start();
  exports = harness.service.app.get(UsageExportService);
  ({ wallet } = await addWallet(harness.books, 1n));
  await addUsage(harness.books, {
    wallet,
    rows: ROWS,
    from: '2026-02-01T00:00:00Z',
    stepSeconds: 60,
    keys: 2,
    models: 2,
    providers: 2,
  });
  await untilReadable(harness.books);
  await harness.service.app.get(ProjectionService).project('statements');
});
afterAll(() => harness.stop());
afterEach(() => eventually(() => exports.underWay === 0));

interface Asking {
  messaging: Messaging;
  reading: Subscription;
  chunks: Msg[];
  /** Whether he is still there. */
  questions: Msg[];
}

/** Asks by hand, and acknowledges nothing by itself. */
async function askByHand(): Promise<Asking> {
  const { url: natsUrl, password: natsPassword } = harness.nats;
  const messaging = await connectMessaging('internal', { natsUrl, natsUser: 'internal', natsPassword });
  const [chunks, questions]: [Msg[], Msg[]] = [[], []];
  const inbox = `_INBOX.internal.${messaging.instanceId}.x`;
  const reading = messaging.connection.subscribe(inbox, {
    callback: (_error, message) =>
      void (message.headers?.has(USAGE_EXPORT.presenceHeader) ? questions : chunks).push(message),
  });
  messaging.connection.publish(USAGE_EXPORT.subject, JSON.stringify({ wallet }), { reply: inbox });
  return { messaging, reading, chunks, questions };
}

async function readAll(iterable: AsyncIterable<unknown>): Promise<number> {
  let chunks = 0;
  for await (const chunk of iterable) if (chunk) chunks++;
  return chunks;
}

async function refusalOf(iterable: AsyncIterable<unknown>): Promise<SvcError> {
  try {
    await readAll(iterable);
  } catch (error) {
    if (SvcError.is(error)) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('the export', () => {
  it('brings every row once, as a Node stream too', async () => {
    const ids = new Set<string>();
    const exported = harness.client.usage.export({ wallet });
    let text = '';
    for await (const chunk of exported.readable().setEncoding('utf8')) text += chunk as string;
    const lines = text.split('\r\n').slice(1, -1);
    for (const line of lines) ids.add(line.slice(0, line.indexOf(',')));
    expect([lines.length, ids.size, exported.rows]).toEqual([ROWS, ROWS, ROWS]);
  });

  it('of nothing is the head line', async () => {
    const exported = harness.client.usage.export({ wallet, keyId: 'key_none' });
    const chunks: string[] = [];
    for await (const chunk of exported) chunks.push(Buffer.from(chunk).toString());
    expect(chunks).toEqual([expect.stringMatching(/^request_id,[a-z_,]+\r\n$/)]);
    expect(exported.rows).toBe(0);
  });

  it("has what the ledger has, though billing's clock is behind the database's", async () => {
    const { wallet: early } = await addWallet(harness.books, 1n);
    const from = new Date(Date.now() + 60_000).toISOString();
    await addUsage(harness.books, {
      ...{ wallet: early, rows: 3, from, stepSeconds: 1 },
      ...{ keys: 1, models: 1, providers: 1 },
    });
    await untilReadable(harness.books);
    const exported = harness.client.usage.export({ wallet: early });
    await readAll(exported);
    expect(exported.rows).toBe(3);
  });

  it('is refused in time where statements are too far behind to be brought up to date for it', async () => {
    const store = harness.service.app.get(ProjectionStore);
    // There is always more.
    const run = jest.spyOn(store, 'run').mockImplementation((_name, most) => Promise.resolve(most));
    try {
      const { payload } = await refusalOf(harness.client.usage.export({ wallet }));
      expect(payload).toMatchObject({
        code: 'no_capacity',
        message: expect.stringContaining('behind') as string,
      });
      expect(exports.underWay).toBe(0);
    } finally {
      run.mockRestore();
    }
    expect(await readAll(harness.client.usage.export({ wallet }))).toBeGreaterThan(0);
  });

  it('sends no more than the window unacknowledged, and one for each acknowledgement', async () => {
    const { messaging, chunks } = await askByHand();
    await eventually(() => chunks.length === USAGE_EXPORT.windowChunks);
    chunks[0]?.respond(USAGE_EXPORT.ack);
    await eventually(() => chunks.length === USAGE_EXPORT.windowChunks + 1);
    // One more would have been there by now: another export goes from beginning to end.
    await readAll(harness.client.usage.export({ wallet }));
    expect(chunks).toHaveLength(USAGE_EXPORT.windowChunks + 1);
    expect(chunks.map((chunk) => chunk.headers?.get(USAGE_EXPORT.sequenceHeader))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
    expect(exports.underWay).toBe(1);
    chunks[4]?.respond(USAGE_EXPORT.stop);
    await eventually(() => exports.underWay === 0);
    await messaging.connection.close();
  });

  it('ends when its reader leaves', async () => {
    const chunks = harness.client.usage.export({ wallet })[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.return();
    await eventually(() => exports.underWay === 0);
    const stream = harness.client.usage.export({ wallet }).readable();
    await once(stream, 'readable');
    stream.destroy();
    await eventually(() => exports.underWay === 0);
  });

  it('ends when its reader is gone', async () => {
    const { messaging, reading, chunks } = await askByHand();
    await eventually(() => chunks.length === USAGE_EXPORT.windowChunks);
    expect(exports.underWay).toBe(1);
    // First that it reads no more, then that there is room: the next chunk finds nobody, and the server says so.
    reading.unsubscribe();
    chunks[0]?.respond(USAGE_EXPORT.ack);
    await eventually(() => exports.underWay === 0);
    await messaging.connection.close();
  });

  it('ends when its reader is gone and all that may be on its way had come to it', async () => {
    const { messaging, chunks } = await askByHand();
    await eventually(() => chunks.length === USAGE_EXPORT.windowChunks);
    expect(exports.underWay).toBe(1);
    await messaging.connection.close();
    await eventually(() => exports.underWay === 0);
  });

  it('tells its reader when billing stops before its end', async () => {
    const exported = harness.client.usage.export({ wallet })[Symbol.asyncIterator]();
    await exported.next();
    exports.onModuleDestroy();
    const refusal = await refusalOf({ [Symbol.asyncIterator]: () => exported });
    expect(refusal.payload.code).toBe('no_capacity');
    expect(refusal.payload.message).toMatch(/stopping/);
  });

  it('waits for a slow reader, who takes the question whether he is there for no chunk', async () => {
    const exported = harness.client.usage.export({ wallet });
    const slow = exported[Symbol.asyncIterator]();
    await slow.next();
    // Another that began later has been asked twice: so has this one, at least once.
    const { messaging, chunks, questions } = await askByHand();
    await eventually(() => questions.length >= 2);
    chunks[0]?.respond(USAGE_EXPORT.stop);
    await eventually(() => exports.underWay === 1);
    await readAll({ [Symbol.asyncIterator]: () => slow });
    expect(exported.rows).toBe(ROWS);
    await messaging.connection.close();
  });

  it('is refused with what is wrong, and when too many are under way', async () => {
    const bad = harness.client.usage.export({
      wallet,
      from: '2026-02-01T00:00:00Z',
      to: '2026-01-01T00:00:00Z',
    });
    expect((await refusalOf(bad)).payload).toMatchObject({ code: 'invalid_request', param: 'to' });
    const others = [await askByHand(), await askByHand(), await askByHand()];
    await eventually(() => others.every(({ chunks }) => chunks.length === USAGE_EXPORT.windowChunks));
    expect((await refusalOf(harness.client.usage.export({ wallet }))).code).toBe('no_capacity');
    for (const { messaging, chunks } of others) {
      chunks[0]?.respond(USAGE_EXPORT.stop);
      await messaging.connection.drain();
    }
  });

  it('by somebody who may not ask is told that nobody answers', async () => {
    const { url: servers, password } = harness.nats;
    const dispatch = await connectBilling({ servers, user: 'dispatch', password });
    const call = dispatch.wallet.show({ wallet }, { timeoutMs: 200 });
    await expect(call).rejects.toMatchObject({ payload: { code: 'no_capacity' } });
    await dispatch.close();
  });

  it('is refused at once, as every call is, where the client was closed', async () => {
    const { url: servers, password } = harness.nats;
    const closed = await connectBilling({ servers, user: 'internal', password });
    await closed.close();
    const refusal = { payload: { code: 'internal_error', message: 'This client of billing was closed.' } };
    expect(await refusalOf(closed.usage.export({ wallet }))).toMatchObject(refusal);
    await expect(closed.wallet.show({ wallet })).rejects.toMatchObject(refusal);
  });
});

it('a call too large for NATS is refused in words that say so', async () => {
  const note = 'x'.repeat(9 * 1024 * 1024);
  await expect(harness.client.wallet.suspend({ wallet, reason: note, actor: 'x' })).rejects.toMatchObject({
    status: 413,
    payload: {
      code: 'invalid_request',
      message: expect.stringContaining('more than the server takes') as string,
    },
  });
});
