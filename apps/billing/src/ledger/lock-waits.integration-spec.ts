import { randomBytes } from 'node:crypto';
import { LOCK_WALLET, holding, waitingForLocks } from '../database/locks.for-spec';
import {
  addKey,
  addWallet,
  admission,
  charge,
  decided,
  lapse,
  newHoldId,
  startTestLedger,
} from './ledger.for-spec';
import type { TestLedger, TestWallet } from './ledger.for-spec';
import type { Admission } from './operation';

const LEASE_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

let test: TestLedger;

beforeAll(async () => {
  test = await startTestLedger({ holdLeaseMs: LEASE_MS });
});
afterAll(() => test.close());

const digest = () => randomBytes(32).toString('hex');
const admit = (request: Admission) => decided(() => test.ledger.admit(request));

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * What is asked for while somebody has the lock of the wallet, who does something meanwhile.
 * @param waiting how many wait for it then
 * @returns what came of it, and when the lock was given back, by the database's clock
 */
async function whileLocked<Result>(
  { wallet }: Pick<TestWallet, 'wallet'>,
  ask: () => Promise<Result>,
  meanwhile: (query: Query) => Promise<unknown> = () => Promise.resolve(),
  waiting = 1,
): Promise<{ result: Result; freed: Date }> {
  const somebody = await holding(test.database, LOCK_WALLET, [wallet]);
  const asked = ask();
  await waitingForLocks(test.database, waiting);
  await meanwhile(somebody.query);
  const [{ freed } = { freed: new Date(NaN) }] = await test.sql<{ freed: Date }>(
    'SELECT clock_timestamp() AS freed',
  );
  await somebody.done();
  return { result: await asked, freed };
}

/** A hold of 100 in a wallet that has 1,000. */
async function held(changes: Partial<Admission> = {}): Promise<{ at: TestWallet; holdId: string }> {
  const at = await addWallet(test, 1_000n);
  const holdId = newHoldId();
  expect(await admit({ ...admission(at, 100n, holdId), ...changes })).toMatchObject({ outcome: 'held' });
  return { at, holdId };
}

describe('a key that changes while the lock of its wallet is waited for', () => {
  it.each([
    ['is disabled', 'billing.api_key SET disabled_at = now()', null, { outcome: 'unknown_key' }],
    [
      'is enabled',
      'billing.api_key SET disabled_at = NULL',
      'billing.api_key SET disabled_at = now()',
      { outcome: 'held' },
    ],
    [
      'is replaced, without an overlap',
      'billing.key_secret SET expires_at = clock_timestamp()',
      null,
      { outcome: 'unknown_key' },
    ],
    [
      'is bound by a lower budget',
      'billing.key_budget SET cap = 9',
      'billing.key_budget SET cap = 10',
      { outcome: 'insufficient', limitedBy: 'key', spendable: 9n },
    ],
    [
      'is bound by a higher budget',
      'billing.key_budget SET cap = 10',
      'billing.key_budget SET cap = 9',
      { outcome: 'held' },
    ],
    [
      'is bound by none any more',
      'billing.key_budget SET cap = NULL',
      'billing.key_budget SET cap = 9',
      { outcome: 'held' },
    ],
    [
      'belongs to a wallet that is suspended',
      'billing.wallet SET suspended_at = now()',
      null,
      { outcome: 'suspended' },
    ],
  ])('counts as it then is: it %s', async (_, change, before, outcome) => {
    const at = await addWallet(test, 1_000n);
    if (before !== null) await test.sql(`UPDATE ${before} WHERE wallet = $1`, [at.wallet]);
    const { result } = await whileLocked(
      at,
      () => admit(admission(at, 10n)),
      (query) => query(`UPDATE ${change} WHERE wallet = $1`, [at.wallet]),
    );
    expect(result).toMatchObject(outcome);
  });

  it.each([
    ['is made for that wallet', 'locked', 'held'],
    ['is made for a wallet whose lock nobody has', 'other', 'unknown_key'],
  ])('is used under the lock of its wallet only: it %s', async (_, whose, outcome) => {
    const [locked, other] = [await addWallet(test, 1_000n), await addWallet(test, 1_000n)];
    const owner = whose === 'locked' ? locked : other;
    const made = { wallet: owner.wallet, keyId: `key_${newHoldId()}`, keyHash: digest() };
    const { result } = await whileLocked(
      locked,
      () => Promise.all([admit(admission(locked, 10n)), admit(admission(made, 10n))]),
      (query) => {
        const text = `SELECT billing.add_key($1, $2, $3, 'abcd', 'test', NULL, NULL)`;
        const values = [made.wallet, made.keyId, made.keyHash];
        // The lock keeps everybody else from making a key for its wallet.
        return owner === locked ? query(text, values) : test.sql(text, values);
      },
    );
    expect(result.map((each) => each.outcome)).toEqual(['held', outcome]);
    const [row] = await test.sql('SELECT held FROM billing.wallet WHERE wallet = $1', [owner.wallet]);
    expect(row).toEqual({ held: whose === 'locked' ? '20' : '0' });
    // Whoever asks again finds it.
    expect(await admit(admission(made, 10n))).toMatchObject({ outcome: 'held' });
  });

  it('is told apart from the others of its batch', async () => {
    const at = await addWallet(test, 1_000n);
    const keys = [at, await addKey(test, at.wallet), await addKey(test, at.wallet)];
    const { result } = await whileLocked(
      at,
      () => Promise.all(keys.map((key) => admit(admission(key, 10n)))),
      (query) => query('UPDATE billing.api_key SET disabled_at = now() WHERE key_id = $1', [keys[1]?.keyId]),
    );
    expect(result).toMatchObject([
      { outcome: 'held', keyId: at.keyId },
      { outcome: 'unknown_key' },
      { outcome: 'held', keyId: keys[2]?.keyId },
    ]);
  });
});

describe('what waited for the lock of its wallet', () => {
  async function timeOf(text: string, values: unknown[]): Promise<Date> {
    const [row] = await test.sql<{ at: Date }>(text, values);
    if (!row) throw new Error('nothing written');
    return row.at;
  }
  const post = (at: TestWallet, holdId: string) =>
    decided(() => test.ledger.resolve({ type: 'post', wallet: at.wallet, holdId, charge: charge(7) }));
  const end = (at: TestWallet, holdId: string, type: 'void' | 'abandon' | 'expire') =>
    decided(() => test.ledger.resolve({ type, wallet: at.wallet, holdId }));
  const USAGE = 'SELECT created_at AS at FROM billing.usage_record WHERE hold_id = $1';
  const GIVEN = 'SELECT created_at AS at FROM billing.credit WHERE wallet = $1';
  const UNSERVED = 'SELECT created_at AS at FROM billing.unserved_request WHERE hold_id = $1';

  it('is dated when it had the lock: a charge', async () => {
    const { at, holdId } = await held();
    const { freed, result } = await whileLocked(at, () => post(at, holdId));
    expect(result).toMatchObject({ state: 'posted' });
    expect((await timeOf(USAGE, [holdId])).getTime()).toBeGreaterThanOrEqual(freed.getTime());
  });

  it('is dated when it had the lock: a charge that comes too late', async () => {
    const { at, holdId } = await held();
    await end(at, holdId, 'void');
    const { freed, result } = await whileLocked(at, () => post(at, holdId));
    expect(result).toMatchObject({ state: 'late' });
    expect((await timeOf(USAGE, [holdId])).getTime()).toBeGreaterThanOrEqual(freed.getTime());
  });

  it.each(['void', 'abandon', 'expire'] as const)(
    'is dated when it had the lock: a request that nobody served, by %s',
    async (type) => {
      const { at, holdId } = await held();
      await lapse(test, [holdId]);
      const { freed } = await whileLocked(at, () => end(at, holdId, type));
      expect((await timeOf(UNSERVED, [holdId])).getTime()).toBeGreaterThanOrEqual(freed.getTime());
    },
  );

  it('is dated when it had the lock: the end of an idempotent request, as its charge', async () => {
    const { at, holdId } = await held({ idempotency: { keyHash: digest(), fingerprint: digest() } });
    const { freed } = await whileLocked(at, () => post(at, holdId));
    const completed = await timeOf('SELECT completed_at AS at FROM billing.idempotency WHERE hold_id = $1', [
      holdId,
    ]);
    expect(completed.getTime()).toBeGreaterThanOrEqual(freed.getTime());
    expect(completed).toEqual(await timeOf(USAGE, [holdId]));
  });

  it('is dated when it had the lock: an admission, whose times all begin then', async () => {
    const at = await addWallet(test, 1_000n);
    const request = { ...admission(at, 100n), idempotency: { keyHash: digest(), fingerprint: digest() } };
    const { freed } = await whileLocked(at, () => admit(request));
    const used = await timeOf('SELECT last_used_at AS at FROM billing.key_budget WHERE key_id = $1', [
      at.keyId,
    ]);
    expect(used.getTime()).toBeGreaterThanOrEqual(freed.getTime());
    const { holdId } = request;
    const lapses = await timeOf('SELECT lease_until AS at FROM billing.open_hold WHERE hold_id = $1', [
      holdId,
    ]);
    expect(lapses.getTime() - used.getTime()).toBe(LEASE_MS);
    const forgotten = await timeOf('SELECT expires_at AS at FROM billing.idempotency WHERE hold_id = $1', [
      holdId,
    ]);
    expect(forgotten.getTime() - used.getTime()).toBe(DAY_MS);
  });

  it('has a whole lease from then on: a renewal', async () => {
    const { at, holdId } = await held();
    const { freed } = await whileLocked(at, () =>
      decided(() => test.ledger.renew({ type: 'renew', wallet: at.wallet, holdId })),
    );
    const lapses = await timeOf('SELECT lease_until AS at FROM billing.open_hold WHERE hold_id = $1', [
      holdId,
    ]);
    expect(lapses.getTime()).toBeGreaterThanOrEqual(freed.getTime() + LEASE_MS);
  });

  it('goes by the lease as it then is: an expiry', async () => {
    const [lapsed, renewed] = [await held(), await held()];
    const lease = (holdId: string, until: string) => (query: Query) =>
      query(`UPDATE billing.open_hold SET lease_until = ${until} WHERE hold_id = $1`, [holdId]);
    const expire = ({ at, holdId }: typeof lapsed) => end(at, holdId, 'expire');
    const now = await whileLocked(lapsed.at, () => expire(lapsed), lease(lapsed.holdId, 'clock_timestamp()'));
    expect(now.result).toMatchObject({ state: 'expired' });
    await lapse(test, [renewed.holdId]);
    const later = await whileLocked(
      renewed.at,
      () => expire(renewed),
      lease(renewed.holdId, `clock_timestamp() + interval '1 minute'`),
    );
    expect(later.result).toMatchObject({ state: 'open' });
  });

  it('is dated when it had the lock: a credit', async () => {
    const at = await addWallet(test, 1_000n);
    const { freed } = await whileLocked(at, () =>
      test.sql(`SELECT billing.credit_wallet($1, 'gift', 5, 'sorry', 'ops')`, [at.wallet]),
    );
    expect((await timeOf(GIVEN, [at.wallet])).getTime()).toBeGreaterThanOrEqual(freed.getTime());
  });

  it('is not dated before its charge: a refund', async () => {
    const { at, holdId } = await held();
    const { result } = await whileLocked(
      at,
      async () => {
        const posted = post(at, holdId);
        await waitingForLocks(test.database, 1);
        const refunded = test.sql(`SELECT billing.refund($1, $2, 'broken', 'ops') AS state`, [
          at.wallet,
          holdId,
        ]);
        return Promise.all([posted, refunded]);
      },
      undefined,
      2,
    );
    expect(result).toMatchObject([{ state: 'posted' }, [{ state: 'refunded' }]]);
    const charged = await timeOf(USAGE, [holdId]);
    expect((await timeOf(GIVEN, [at.wallet])).getTime()).toBeGreaterThanOrEqual(charged.getTime());
  });
});
