import { createHash, randomBytes } from 'node:crypto';
import { RESPONSE_PART_BYTES } from '@svc/contracts';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { BillingConfig } from '../billing.config';
import { DatabaseClock } from '../database/database-clock';
import { addKey, addWallet, admission, charge, startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger, TestWallet } from '../ledger/ledger.for-spec';
import { IdempotencyPurge } from './idempotency-purge.service';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyService } from './idempotency.service';
import { IdempotencyStore } from './idempotency.store';
import { StoredBytes } from './stored-bytes.service';
import { StoredBytesStore } from './stored-bytes.store';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

describe('idempotent requests in the database', () => {
  let test: TestLedger;
  let prisma: PrismaClient;
  let service: IdempotencyService;
  let purge: IdempotencyPurge;
  let customer: TestWallet;

  beforeAll(async () => {
    test = await startTestLedger();
    // As billing's own role.
    prisma = createPrismaClient(test.database.billingUrl, {
      applicationName: 'spec',
      onError: () => undefined,
    });
    const store = new IdempotencyStore(prisma);
    const metrics = new IdempotencyMetrics(createMetricsRegistry('test'));
    const stored = new StoredBytes(test.config, new StoredBytesStore(prisma), metrics);
    service = new IdempotencyService(store, metrics, stored);
    purge = new IdempotencyPurge(
      createLogger('test', 'silent'),
      store,
      metrics,
      stored,
      new DatabaseClock(prisma),
    );
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await test.close();
  });
  beforeEach(async () => {
    customer = await addWallet(test, 1_000_000n);
  });

  /** Holds 100 under an idempotency key. */
  async function begin(key = randomBytes(8).toString('hex'), who = customer) {
    const claim = { keyHash: digest(key), fingerprint: digest(`body of ${key}`) };
    const held = { ...admission(who, 100n), idempotency: claim };
    const result = await test.ledger.admit(held);
    return { claim, holdId: held.holdId, result, wallet: who.wallet };
  }
  const post = (wallet: string, holdId: string) =>
    test.ledger.resolve({ type: 'post', wallet, holdId, charge: charge(7) });
  const store = (wallet: string, holdId: string, part = 0, bytes = Buffer.from('sealed')) =>
    service.storePart({ wallet, holdId, part, bytes: bytes.toString('base64') });
  const read = (wallet: string, holdId: string, part = 0) => service.readPart({ wallet, holdId, part });
  const find = (keyHash: string, idempotency: { keyHash: string; fingerprint: string }) =>
    service.find({ keyHash, idempotency });
  const age = (holdId: string) =>
    test.sql(`UPDATE billing.idempotency SET expires_at = now() - interval '1 second' WHERE hold_id = $1`, [
      holdId,
    ]);
  const partsOf = (holdId: string) =>
    test.sql('SELECT part FROM billing.stored_response WHERE hold_id = $1', [holdId]);

  it('are found as they stand: not at all, running, completed', async () => {
    const { claim, holdId, wallet } = await begin();
    const other = { ...claim, keyHash: digest('another') };
    expect(await find(customer.keyHash, other)).toEqual({ found: null });
    const found = { holdId, wallet, amount: '100' };
    expect(await find(customer.keyHash, claim)).toEqual({ found: { ...found, state: 'running' } });
    await post(wallet, holdId);
    expect(await find(customer.keyHash, claim)).toEqual({ found: { ...found, state: 'completed' } });
    await expect(find(customer.keyHash, { ...claim, fingerprint: digest('x') })).rejects.toMatchObject({
      status: 422,
      payload: { code: 'invalid_request', param: 'Idempotency-Key' },
    });
  });

  it('are their wallet’s: under any of its keys, and under nobody else’s', async () => {
    const { claim, holdId } = await begin('shared');
    const second = await addKey(test, customer.wallet);
    expect(await find(second.keyHash, claim)).toMatchObject({ found: { holdId } });
    const stranger = await addWallet(test, 1_000_000n);
    expect(await find(stranger.keyHash, claim)).toEqual({ found: null });
    expect((await begin('shared', stranger)).result).toMatchObject({ outcome: 'held' });
  });

  it('are not shown to a key that may not be used', async () => {
    const { claim } = await begin();
    await expect(find(digest('no key'), claim)).rejects.toMatchObject({ code: 'invalid_api_key' });
    for (const end of ['api_key SET disabled_at', 'key_secret SET expires_at']) {
      const endAt = (at: string) =>
        test.sql(`UPDATE billing.${end} = ${at} WHERE key_id = $1`, [customer.keyId]);
      await endAt('now()');
      await expect(find(customer.keyHash, claim)).rejects.toMatchObject({ code: 'invalid_api_key' });
      await endAt('NULL');
    }
    await test.sql('UPDATE billing.wallet SET suspended_at = now() WHERE wallet = $1', [customer.wallet]);
    await expect(find(customer.keyHash, claim)).rejects.toMatchObject({ code: 'account_suspended' });
    await test.sql('UPDATE billing.api_key SET revoked_at = now() WHERE key_id = $1', [customer.keyId]);
    await expect(find(customer.keyHash, claim)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('give a stored reply back when they were charged, and not before', async () => {
    const { holdId, wallet } = await begin();
    const large = randomBytes(RESPONSE_PART_BYTES);
    await store(wallet, holdId, 0, Buffer.from('first try'));
    await store(wallet, holdId, 0, large);
    await store(wallet, holdId, 1, Buffer.from('rest'));
    await expect(read(wallet, holdId)).rejects.toMatchObject({ status: 404 });
    await post(wallet, holdId);
    expect(await read(wallet, holdId)).toEqual({ bytes: large.toString('base64'), parts: 2 });
    expect(await read(wallet, holdId, 1)).toMatchObject({ bytes: Buffer.from('rest').toString('base64') });
    await expect(read(wallet, holdId, 2)).rejects.toMatchObject({ status: 404 });
    const stranger = await addWallet(test, 1n);
    await expect(read(stranger.wallet, holdId)).rejects.toMatchObject({ status: 404 });
  });

  it('take a reply only while they run', async () => {
    const { holdId, wallet } = await begin();
    await store(wallet, holdId);
    await post(wallet, holdId);
    await expect(store(wallet, holdId)).rejects.toMatchObject({ status: 409 });
    const voided = await begin();
    await store(wallet, voided.holdId);
    await test.ledger.resolve({ type: 'void', wallet, holdId: voided.holdId });
    expect(await partsOf(voided.holdId)).toEqual([]);
    await expect(store(wallet, voided.holdId)).rejects.toMatchObject({ status: 409 });
    const plain = admission(customer, 10n);
    await test.ledger.admit(plain);
    await expect(store(wallet, plain.holdId)).rejects.toMatchObject({ status: 409 });
    const running = await begin();
    const tooLarge = Buffer.alloc(RESPONSE_PART_BYTES + 1);
    await expect(store(wallet, running.holdId, 0, tooLarge)).rejects.toMatchObject({ status: 400 });
  });

  it('take no reply when they are freed at the same moment', async () => {
    const { holdId, wallet } = await begin();
    const freed = new Client({ connectionString: test.database.adminUrl });
    await freed.connect();
    await freed.query('BEGIN');
    await freed.query('DELETE FROM billing.idempotency WHERE hold_id = $1', [holdId]);
    const refused = expect(store(wallet, holdId)).rejects.toMatchObject({ status: 409 });
    await eventually(async () => (await test.database.waitingForLocks()) > 0);
    await freed.query('COMMIT');
    await freed.end();
    await refused;
  });

  describe('whose replies are kept as far as there is room', () => {
    const counted = async (wallet?: string) => {
      const [row] = await test.sql<{ bytes: number }>(
        'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM billing.stored_bytes WHERE $1::text IS NULL OR wallet = $1',
        [wallet],
      );
      return Number(row?.bytes);
    };
    const withRoomFor = (storedResponsesMaxBytes: number) => {
      const metrics = new IdempotencyMetrics(createMetricsRegistry('test'));
      const config = Object.assign(new BillingConfig(), { storedResponsesMaxBytes });
      const bytes = new StoredBytes(config, new StoredBytesStore(prisma), metrics);
      return new IdempotencyService(new IdempotencyStore(prisma), metrics, bytes);
    };
    const storeIn = (
      room: IdempotencyService,
      at: { wallet: string; holdId: string },
      part: number,
      size: number,
    ) =>
      room.storePart({
        wallet: at.wallet,
        holdId: at.holdId,
        part,
        bytes: Buffer.alloc(size).toString('base64'),
      });

    it('have a sixteenth of it for each wallet, and are kept whole or not at all', async () => {
      const room = withRoomFor(16 * RESPONSE_PART_BYTES);
      const [kept, next] = [await begin(), await begin()];
      expect(await storeIn(room, kept, 0, RESPONSE_PART_BYTES)).toEqual({ part: 0 });
      // Told again, as when the answer was lost.
      expect(await storeIn(room, kept, 0, RESPONSE_PART_BYTES)).toEqual({ part: 0 });
      expect(await storeIn(room, kept, 1, 10)).toEqual({ part: 1 });
      expect(await counted(customer.wallet)).toBe(RESPONSE_PART_BYTES + 10);
      for (const part of [0, 1]) {
        expect(await storeIn(room, next, part, 10)).toEqual({ part, isKept: false });
      }
      expect(await partsOf(next.holdId)).toEqual([]);
      // It is charged, and told again as long as nobody knows better.
      expect(await post(next.wallet, next.holdId)).toMatchObject({ state: 'posted' });
      expect(await find(customer.keyHash, next.claim)).toMatchObject({ found: { state: 'completed' } });
      await expect(read(next.wallet, next.holdId)).rejects.toMatchObject({ status: 404 });
      const other = await begin('another', await addWallet(test, 1_000n));
      expect(await storeIn(room, other, 0, 10)).toEqual({ part: 0 });
    });

    it('have all of it together', async () => {
      const room = withRoomFor((await counted()) + 20);
      const wallets = await Promise.all([1, 2, 3].map(() => addWallet(test, 1_000n)));
      const answers: unknown[] = [];
      for (const wallet of wallets) answers.push(await storeIn(room, await begin('key', wallet), 0, 10));
      expect(answers).toEqual([{ part: 0 }, { part: 0 }, { part: 0, isKept: false }]);
      // As another instance finds it.
      const again = await begin('other', await addWallet(test, 1_000n));
      expect(await storeIn(withRoomFor(await counted()), again, 0, 10)).toEqual({ part: 0, isKept: false });
    });

    it('are counted until they are purged, also when that is late', async () => {
      const [one, another] = [await begin(), await begin()];
      for (const { wallet, holdId } of [one, another]) {
        await store(wallet, holdId);
        await post(wallet, holdId);
      }
      const before = await counted(customer.wallet);
      await test.sql(
        `UPDATE billing.stored_bytes SET span_until = now() - interval '1 second' WHERE wallet = $1`,
        [customer.wallet],
      );
      await test.sql(
        `UPDATE billing.idempotency SET expires_at = now() - interval '1 hour' WHERE wallet = $1`,
        [customer.wallet],
      );
      await new StoredBytesStore(prisma).forget();
      expect(await counted(customer.wallet)).toBe(before);
      expect(await purge.purge()).toBe(2);
      expect(await counted(customer.wallet)).toBe(0);
    });
  });

  it('lose their reply with a refund', async () => {
    const { claim, holdId, wallet } = await begin();
    await store(wallet, holdId);
    await post(wallet, holdId);
    await test.ledger.resolve({ type: 'abandon', wallet, holdId });
    expect(await partsOf(holdId)).toEqual([]);
    expect(await find(customer.keyHash, claim)).toEqual({ found: null });
  });

  it('are past their time though nothing purges them, unless they run', async () => {
    const { claim, holdId, wallet } = await begin('again');
    await store(wallet, holdId);
    await age(holdId);
    expect((await begin('again')).result).toMatchObject({ outcome: 'running', holdId });
    expect(await find(customer.keyHash, claim)).toMatchObject({ found: { state: 'running' } });
    await post(wallet, holdId);
    expect(await find(customer.keyHash, claim)).toEqual({ found: null });
    // Another request under that key is another's by now.
    const others = { keyHash: claim.keyHash, fingerprint: digest('another body') };
    expect(await find(customer.keyHash, others)).toEqual({ found: null });
    // One of many takes the place; the purge does the same meanwhile.
    const [results] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, () => begin('again'))),
      purge.purge(),
    ]);
    const outcomes = results.map(({ result }) => result.outcome).sort();
    expect(outcomes).toEqual(['held', ...Array.from({ length: 29 }, () => 'running')]);
    expect(await partsOf(holdId)).toEqual([]);
    const standing = results.find(({ result }) => result.outcome === 'held');
    expect(await find(customer.keyHash, claim)).toMatchObject({ found: { holdId: standing?.holdId } });
    await post(wallet, String(standing?.holdId));
    expect((await begin('again')).result).toMatchObject({ outcome: 'completed', holdId: standing?.holdId });
  });

  it('stand past their time where who comes after them is refused, and for nobody else', async () => {
    const { claim, holdId, wallet } = await begin('once');
    await post(wallet, holdId);
    await age(holdId);
    const refused = { ...admission(customer, 10_000_000n), idempotency: claim };
    expect(await test.ledger.admit(refused)).toMatchObject({ outcome: 'insufficient' });
    expect(await find(customer.keyHash, claim)).toEqual({ found: null });
    expect((await begin('once')).result).toMatchObject({ outcome: 'held' });
  });

  it('are purged with their replies when their time is over, unless they run', async () => {
    const [done, fresh, running] = [await begin(), await begin(), await begin()];
    for (const { holdId, wallet } of [done, fresh]) {
      await store(wallet, holdId);
      await post(wallet, holdId);
    }
    await age(done.holdId);
    await age(running.holdId);
    expect(await purge.purge()).toBe(1);
    expect(await partsOf(done.holdId)).toEqual([]);
    expect(await partsOf(fresh.holdId)).toHaveLength(1);
    expect(await find(customer.keyHash, running.claim)).toMatchObject({ found: { state: 'running' } });
    await post(running.wallet, running.holdId);
    expect(await purge.purge()).toBe(1);
    expect(await purge.purge()).toBe(0);
  });

  it('are purged without waiting for one that a batch holds', async () => {
    const [held, free] = [await begin(), await begin()];
    for (const { holdId, wallet } of [held, free]) {
      await post(wallet, holdId);
      await age(holdId);
    }
    const batch = new Client({ connectionString: test.database.adminUrl });
    await batch.connect();
    await batch.query('BEGIN');
    await batch.query('SELECT FROM billing.idempotency WHERE hold_id = $1 FOR UPDATE', [held.holdId]);
    expect(await purge.purge()).toBe(1);
    await batch.query('COMMIT');
    await batch.end();
    expect(await purge.purge()).toBe(1);
  });

  it('are purged however many they are', async () => {
    await test.sql(
      `INSERT INTO billing.idempotency (wallet, idempotency_hash, fingerprint, hold_id, expires_at, completed_at)
       SELECT $1, lpad(n::text, 64, '0'), repeat('0', 64), 'old_' || n, now() - interval '1 hour', now()
       FROM generate_series(1, 1234) n`,
      [customer.wallet],
    );
    expect(await purge.purge()).toBe(1_234);
  });
});
