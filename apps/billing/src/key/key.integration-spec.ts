import { randomBytes } from 'node:crypto';
import { MAX_KEYS, MAX_KEY_VALUES, MAX_LIVE_KEYS } from '@svc/contracts';
import { createLogger } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { withinOneDay } from '@svc/testing';
import { LOCK_WALLET, holding, waitingForLocks } from '../database/locks.for-spec';
import {
  addWallet,
  admission,
  charge,
  decided,
  startTestLedger,
  withDaysOfAMoment,
} from '../ledger/ledger.for-spec';
import type { TestLedger, TestWallet } from '../ledger/ledger.for-spec';
import { KeyService } from './key.service';
import { KeyStore } from './key.store';

let test: TestLedger;
let prisma: PrismaClient;
let keys: KeyService;

beforeAll(async () => {
  test = await startTestLedger({ unsettledCap: '800' });
  prisma = createPrismaClient(test.config.databaseUrl);
  keys = new KeyService(test.config, createLogger('test', 'silent'), new KeyStore(prisma));
});
afterAll(async () => {
  await prisma.$disconnect();
  await test.close();
});

const hash = () => randomBytes(32).toString('hex');

/** @returns the request's id */
async function spend(at: TestWallet, cost: number): Promise<string> {
  const request = admission(at, BigInt(cost));
  await test.ledger.admit(request);
  await test.ledger.resolve({
    ...{ type: 'post', wallet: at.wallet, holdId: request.holdId },
    charge: charge(cost),
  });
  return request.holdId;
}

describe('KeyService', () => {
  it('shows a key with what it spent, holds and may spend', async () => {
    const at = await addWallet(test, 1_000n);
    await spend(at, 40);
    await test.ledger.admit(admission(at, 60n));
    const view = await keys.show(at.keyHash);
    expect(view).toMatchObject({
      ...{ keyId: at.keyId, wallet: at.wallet, name: 'test', lastFour: 'abcd', state: 'active' },
      ...{ budgetCap: null, budgetReset: null, resetsAt: null, previousExpiresAt: null },
      // The cap on what is unsettled leaves less than the wallet does.
      ...{ spent: '40', held: '60', spendable: '700' },
    });
    expect(Date.parse(view.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('shows no more for what was given back after it was collected', async () => {
    const at = await addWallet(test, 10_000n);
    await spend(at, 300);
    await test.sql(
      'UPDATE billing.wallet SET settled_head = 300, settled_safe = 300, credited = 100 WHERE wallet = $1',
      [at.wallet],
    );
    expect(await keys.show(at.keyHash)).toMatchObject({ spendable: '800' });
  });

  it('counts what is held as it does what is spent', async () => {
    const at = await addWallet(test, 1_000n);
    const { wallet, keyId } = at;
    await keys.update({ wallet, keyId, budgetCap: '100' });
    await spend(at, 40);
    await test.ledger.admit(admission(at, 30n));
    expect(await keys.show(at.keyHash)).toMatchObject({ spent: '40', held: '30', spendable: '30' });
    await expect(keys.update({ wallet, keyId, budgetCap: '69' })).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'budgetCap' },
    });
    expect(await keys.update({ wallet, keyId, budgetCap: '70' })).toMatchObject({ spendable: '0' });
  });

  it('carries nothing that was spent in an earlier period over by a change', async () => {
    await withinOneDay(async () => {
      const at = await addWallet(test, 1_000n);
      const { wallet, keyId } = at;
      await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: 'daily' });
      await spend(at, 90);
      await test.sql(
        `UPDATE billing.key_budget SET period_start = period_start - interval '1 day' WHERE key_id = $1`,
        [keyId],
      );
      expect(await keys.update({ wallet, keyId, budgetCap: '50' })).toMatchObject({ spent: '0' });
      expect(await keys.show(at.keyHash)).toMatchObject({ spent: '0', spendable: '50' });
    });
  });

  it('makes keys with a budget, lists them, changes and removes it', async () => {
    await withinOneDay(async () => {
      const { wallet } = await addWallet(test, 1_000n);
      const created = { wallet, keyHash: hash(), lastFour: 'wxyz', name: 'second', budgetCap: '100' };
      const { keyId } = await keys.create({ ...created, budgetReset: 'weekly' });
      const [newest, ...others] = await keys.list(wallet);
      expect(others).toHaveLength(1);
      expect(newest).toMatchObject({ keyId, budgetCap: '100', budgetReset: 'weekly', spendable: '100' });
      const resetsAt = new Date(newest?.resetsAt ?? '');
      expect([resetsAt.getUTCDay(), resetsAt.getUTCHours(), resetsAt.getTime() > Date.now()]).toEqual([
        1,
        0,
        true,
      ]);

      await spend({ wallet, keyId, keyHash: created.keyHash }, 40);
      expect(await keys.update({ wallet, keyId, budgetCap: '40', name: 'renamed' })).toMatchObject({
        ...{ name: 'renamed', budgetCap: '40', budgetReset: 'weekly', spent: '40', spendable: '0' },
      });
      const tooLow = keys.update({ wallet, keyId, budgetCap: '39', name: 'not this' });
      await expect(tooLow).rejects.toMatchObject({
        payload: {
          code: 'invalid_request',
          param: 'budgetCap',
          message: 'The cap is below what the key holds and has spent in this period; set a higher one.',
        },
      });
      expect((await keys.list(wallet))[0]).toMatchObject({ name: 'renamed', budgetCap: '40' });
      expect(await keys.update({ wallet, keyId, budgetReset: 'never' })).toMatchObject({ resetsAt: null });
      expect(await keys.update({ wallet, keyId, removeBudget: true })).toMatchObject({
        ...{ budgetCap: null, budgetReset: null, spent: '40', spendable: '760' },
      });
    });
  });

  it('refuses budgets that make no sense', async () => {
    const { wallet, keyId } = await addWallet(test, 10n);
    const made = { wallet, keyHash: hash(), lastFour: 'wxyz', name: 'x', budgetReset: 'daily' } as const;
    const reset = { payload: { param: 'budgetReset' } };
    await expect(keys.create(made)).rejects.toMatchObject(reset);
    await expect(keys.update({ wallet, keyId, budgetReset: 'daily' })).rejects.toMatchObject(reset);
    for (const set of [{ budgetCap: '5' }, { budgetReset: 'never' }] as const)
      await expect(keys.update({ wallet, keyId, removeBudget: true, ...set })).rejects.toMatchObject({
        payload: { param: 'removeBudget' },
      });
    await expect(keys.update({ wallet, keyId: 'key_no', name: 'x' })).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    ['reset', { budgetReset: 'daily' }, { budgetCap: '10', budgetReset: 'daily' }],
    ['cap', { budgetCap: '50' }, { budgetCap: '50', budgetReset: 'monthly' }],
  ] as const)('changes the %s alone, and keeps what was just set beside it', async (_, change, expected) => {
    const { wallet, keyId } = await addWallet(test, 1_000n);
    await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: 'weekly' });
    const somebody = await holding(test.database, LOCK_WALLET, [wallet]);
    const updated = keys.update({ wallet, keyId, ...change });
    await waitingForLocks(test.database, 1);
    await somebody.query(
      `UPDATE billing.key_budget SET cap = 10, reset = 'monthly' WHERE wallet = $1 AND key_id = $2`,
      [wallet, keyId],
    );
    await somebody.done();
    expect(await updated).toMatchObject(expected);
  });

  it('judges a change by the budget as it then stands', async () => {
    const { wallet, keyId } = await addWallet(test, 1_000n);
    await keys.update({ wallet, keyId, budgetCap: '100' });
    const somebody = await holding(test.database, LOCK_WALLET, [wallet]);
    const updated = keys.update({ wallet, keyId, budgetReset: 'daily' });
    const refused = expect(updated).rejects.toMatchObject({ payload: { param: 'budgetReset' } });
    await waitingForLocks(test.database, 1);
    await somebody.query('UPDATE billing.key_budget SET cap = NULL WHERE wallet = $1 AND key_id = $2', [
      wallet,
      keyId,
    ]);
    await somebody.done();
    await refused;
  });

  it('changes a budget by the day in which it got the lock', async () => {
    const { wallet, keyId } = await addWallet(test, 1_000n);
    await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: 'daily' });
    await withDaysOfAMoment(test, async () => {
      const somebody = await holding(test.database, LOCK_WALLET, [wallet]);
      const updated = keys.update({ wallet, keyId, budgetCap: '50' });
      await waitingForLocks(test.database, 1);
      await somebody.query(
        `UPDATE billing.key_budget SET spent = 80, period_start = clock_timestamp()
         WHERE wallet = $1 AND key_id = $2`,
        [wallet, keyId],
      );
      await somebody.done();
      // What was spent in the day before is above the cap, and counts no more.
      expect(await updated).toMatchObject({ budgetCap: '50', spent: '0' });
    });
  });

  it('never begins a period again by a change that leaves the reset', async () => {
    const { wallet, keyId } = await addWallet(test, 1_000n);
    await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: 'daily' });
    // The clock goes back: what was spent, was spent tomorrow.
    await test.sql(
      `UPDATE billing.key_budget SET spent = 40, period_start = period_start + interval '1 day' WHERE key_id = $1`,
      [keyId],
    );
    await keys.update({ wallet, keyId, budgetCap: '50' });
    const [budget] = await test.sql(
      `SELECT spent, period_start > now() AS tomorrow FROM billing.key_budget WHERE key_id = $1`,
      [keyId],
    );
    expect(budget).toEqual({ spent: '40', tomorrow: true });
  });

  it.each([
    ['daily', 'never', -1, '0'],
    ['never', 'daily', -1, '40'],
    ['daily', 'never', 1, '40'],
  ] as const)(
    'begins its period today when %s becomes %s, having begun %i days from now',
    async (...given) => {
      const [before, budgetReset, days, spent] = given;
      await withinOneDay(async () => {
        const at = await addWallet(test, 1_000n);
        const { wallet, keyId } = at;
        await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: before });
        await spend(at, 40);
        await test.sql(
          `UPDATE billing.key_budget SET period_start = period_start + $2 * interval '1 day' WHERE key_id = $1`,
          [keyId, days],
        );
        expect(await keys.update({ wallet, keyId, budgetReset })).toMatchObject({ spent });
        const [budget] = await test.sql(
          `SELECT period_start BETWEEN date_trunc('day', now(), 'UTC') AND now() AS today
         FROM billing.key_budget WHERE key_id = $1`,
          [keyId],
        );
        expect(budget).toEqual({ today: true });
      });
    },
  );

  it('gives a charge of before nothing back to what is spent since, when the period becomes a longer one', async () => {
    const at = await addWallet(test, 1_000n);
    const { wallet, keyId } = at;
    await keys.update({ wallet, keyId, budgetCap: '100', budgetReset: 'daily' });
    const yesterday = await spend(at, 40);
    await test.sql(
      `UPDATE billing.key_budget SET spent = 0, period_start = clock_timestamp() WHERE key_id = $1`,
      [keyId],
    );
    await spend(at, 20);
    await keys.update({ wallet, keyId, budgetReset: 'monthly' });
    await test.sql(`SELECT billing.refund($1, $2, 'goodwill', 'support')`, [wallet, yesterday]);
    expect(await keys.list(wallet)).toMatchObject([{ spent: '20' }]);
  });

  it('refuses what a revoked key, or a value of another, stands in the way of', async () => {
    const [revoked, at] = [await addWallet(test, 10n), await addWallet(test, 10n)];
    const { wallet, keyId, keyHash } = revoked;
    await keys.revoke(wallet, keyId);
    const made = { wallet, keyHash, lastFour: 'wxyz', name: 'again' };
    await expect(keys.create(made)).rejects.toMatchObject({ payload: { param: 'keyHash' } });
    await expect(keys.update({ wallet, keyId, name: 'again' })).rejects.toMatchObject({
      payload: { param: 'keyId' },
    });
    const other = await keys.create({ ...made, wallet: at.wallet, keyHash: hash() });
    const taken = { wallet: at.wallet, ...other, keyHash: at.keyHash, lastFour: 'wxyz', overlapSeconds: 0 };
    await expect(keys.rotate(taken)).rejects.toMatchObject({ payload: { param: 'keyHash' } });
  });

  it('is revoked since the first time that it was', async () => {
    const { wallet, keyId } = await addWallet(test, 10n);
    const revoked = 'SELECT revoked_at FROM billing.api_key WHERE key_id = $1';
    await keys.revoke(wallet, keyId);
    const since = await test.sql(revoked, [keyId]);
    await keys.revoke(wallet, keyId);
    expect(await test.sql(revoked, [keyId])).toEqual(since);
  });

  it('says that the wallet is suspended', async () => {
    const at = await addWallet(test, 10n);
    await test.sql('UPDATE billing.wallet SET suspended_at = now() WHERE wallet = $1', [at.wallet]);
    await expect(keys.check(at.keyHash)).rejects.toMatchObject({ code: 'account_suspended' });
  });

  it('disables and enables', async () => {
    const at = await addWallet(test, 10n);
    const { wallet, keyId } = at;
    expect(await keys.update({ wallet, keyId, disabled: true })).toMatchObject({ state: 'disabled' });
    expect(await test.ledger.admit(admission(at, 1n))).toEqual({ outcome: 'unknown_key' });
    await expect(keys.check(at.keyHash)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(await keys.update({ wallet, keyId, disabled: false })).toMatchObject({ state: 'active' });
    expect(await test.ledger.admit(admission(at, 1n))).toMatchObject({ outcome: 'held' });
  });

  it('revokes from its commit on, also for those who wait for the wallet then', async () => {
    const at = await addWallet(test, 10n);
    const { wallet, keyId } = at;
    const somebody = await holding(test.database, LOCK_WALLET, [wallet]);
    const request = admission(at, 1n);
    const admitted = decided(() => test.ledger.admit(request));
    await waitingForLocks(test.database, 1);
    await keys.revoke(wallet, keyId);
    await somebody.done();
    expect(await admitted).toEqual({ outcome: 'unknown_key' });
  });

  it('rotates with an overlap, under one budget', async () => {
    const old = await addWallet(test, 1_000n);
    const { wallet, keyId } = old;
    await keys.update({ wallet, keyId, budgetCap: '100' });
    await spend(old, 30);
    const keyHash = hash();
    const rotation = { wallet, keyId, keyHash, lastFour: 'new1', overlapSeconds: 3_600 };
    expect(await keys.rotate(rotation)).toEqual({ keyId });
    expect(await keys.rotate(rotation)).toEqual({ keyId });
    const [view] = await keys.list(wallet);
    expect(view).toMatchObject({ lastFour: 'new1', spent: '30', budgetCap: '100' });
    expect(Date.parse(view?.previousExpiresAt ?? '')).toBeGreaterThan(Date.now() + 3_500_000);

    expect(await test.ledger.admit(admission(old, 50n))).toMatchObject({ outcome: 'held' });
    const fresh = { ...old, keyHash };
    expect(await test.ledger.admit(admission(fresh, 21n))).toMatchObject({
      limitedBy: 'key',
      spendable: 20n,
    });
    await test.sql(`UPDATE billing.key_secret SET expires_at = now() - interval '1 s' WHERE key_hash = $1`, [
      old.keyHash,
    ]);
    expect(await test.ledger.admit(admission(old, 1n))).toEqual({ outcome: 'unknown_key' });
    expect(await test.ledger.admit(admission(fresh, 20n))).toMatchObject({ outcome: 'held' });
    await expect(keys.check(old.keyHash)).rejects.toMatchObject({ code: 'invalid_api_key' });
    const stolen = await addWallet(test, 10n);
    const taken = { ...rotation, keyHash: stolen.keyHash };
    await expect(keys.rotate(taken)).rejects.toMatchObject({ status: 409 });
    await keys.revoke(wallet, keyId);
    await expect(keys.rotate({ ...rotation, keyHash: hash() })).rejects.toMatchObject({ status: 409 });
    expect(await test.ledger.admit(admission(fresh, 1n))).toEqual({ outcome: 'unknown_key' });
  });

  it.each([
    ['revoked', (wallet: string, keyId: string) => keys.revoke(wallet, keyId)],
    ['disabled', (wallet: string, keyId: string) => keys.update({ wallet, keyId, disabled: true })],
  ])('is %s while it is rotated, and both are done', async (_, stop) => {
    const { wallet, keyId, keyHash: first } = await addWallet(test, 10n);
    const rotation = { wallet, keyId, lastFour: 'next' };
    const [second, third] = [hash(), hash()];
    await keys.rotate({ ...rotation, keyHash: second, overlapSeconds: 86_400 });
    // The rotation stops between the two values: it has the one, and waits for the other.
    const somebody = await holding(
      test.database,
      'SELECT FROM billing.key_secret WHERE key_hash = $1 FOR UPDATE',
      [second],
    );
    const rotated = keys.rotate({ ...rotation, keyHash: third, overlapSeconds: 0 });
    await waitingForLocks(test.database, 1);
    const stopped = stop(wallet, keyId);
    await waitingForLocks(test.database, 2);
    await somebody.done();
    await Promise.all([rotated, stopped]);
    for (const keyHash of [first, second, third])
      await expect(keys.check(keyHash)).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  it('lets no earlier value outlive the overlap of a later rotation', async () => {
    const old = await addWallet(test, 1_000n);
    const { wallet, keyId } = old;
    const [second, third] = [hash(), hash()];
    const rotation = { wallet, keyId, lastFour: 'next' };
    await keys.rotate({ ...rotation, keyHash: second, overlapSeconds: 86_400 });
    await expect(keys.check(old.keyHash)).resolves.toMatchObject({ keyId });
    await keys.rotate({ ...rotation, keyHash: third, overlapSeconds: 0 });
    for (const keyHash of [old.keyHash, second])
      await expect(keys.check(keyHash)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(keys.check(third)).resolves.toMatchObject({ keyId });
    expect(await keys.list(wallet)).toMatchObject([{ lastFour: 'next', previousExpiresAt: null }]);
  });

  it('gives a key so many values and no more', async () => {
    const { wallet, keyId } = await addWallet(test, 10n);
    const rotation = { wallet, keyId, keyHash: hash(), lastFour: 'next', overlapSeconds: 0 };
    await keys.rotate(rotation);
    await test.sql(
      `INSERT INTO billing.key_secret (key_hash, wallet, key_id, last_four, expires_at)
       SELECT lpad(n::text, 64, '0'), $1, $2, 'worn', now() FROM generate_series(3, $3::integer) AS n`,
      [wallet, keyId, MAX_KEY_VALUES],
    );
    const another = keys.rotate({ ...rotation, keyHash: hash() });
    await expect(another).rejects.toMatchObject({ code: 'invalid_request', status: 409 });
    // A repeat is no further value, and the one there is works.
    expect(await keys.rotate(rotation)).toEqual({ keyId });
    await expect(keys.check(rotation.keyHash)).resolves.toMatchObject({ keyId });
  });

  it('gives a key no more values when two come at once', async () => {
    const { wallet, keyId } = await addWallet(test, 10n);
    await test.sql(
      `INSERT INTO billing.key_secret (key_hash, wallet, key_id, last_four, expires_at)
       SELECT md5($2 || n) || md5(n || $2), $1, $2, 'worn', now() FROM generate_series(2, $3::integer - 1) AS n`,
      [wallet, keyId, MAX_KEY_VALUES],
    );
    const somebody = await holding(
      test.database,
      'SELECT FROM billing.api_key WHERE key_id = $1 FOR UPDATE',
      [keyId],
    );
    const rotation = { wallet, keyId, lastFour: 'next', overlapSeconds: 0 };
    const both = Promise.allSettled([1, 2].map(() => keys.rotate({ ...rotation, keyHash: hash() })));
    await waitingForLocks(test.database, 2);
    await somebody.done();
    expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('lets a wallet have so many keys and no more, those that come at once too', async () => {
    const { wallet } = await addWallet(test, 10n);
    const created = () => keys.create({ wallet, keyHash: hash(), lastFour: 'wxyz', name: 'one of many' });
    // The wallet came with one, and is given others until there is room for five. Only so many come at once as do not wait for a
    // connection for longer than a slow machine lets them.
    await test.sql(
      `SELECT billing.add_key($1, 'key_' || n, md5($1 || n) || md5(n || $1), 'abcd', 'test', NULL, NULL)
       FROM generate_series(2, $2::integer) AS n`,
      [wallet, MAX_LIVE_KEYS - 5],
    );
    const made = await Promise.allSettled(Array.from({ length: 11 }, created));
    const refused = made.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(6);
    const message = expect.stringContaining(
      `${MAX_LIVE_KEYS} keys that are not revoked: revoke one`,
    ) as string;
    expect(refused[0]).toMatchObject({ reason: { code: 'invalid_request', status: 409, message } });
    expect(await keys.list(wallet)).toHaveLength(MAX_LIVE_KEYS);

    const [{ keyId = '' } = {}] = await keys.list(wallet);
    await keys.revoke(wallet, keyId);
    const value = { wallet, keyHash: hash(), lastFour: 'wxyz', name: 'in its place' };
    const inItsPlace = await keys.create(value);
    // A repeat is no further key.
    expect(await keys.create(value)).toEqual(inItsPlace);
    await expect(created()).rejects.toMatchObject({ status: 409 });
  });

  it('counts revoked keys as well, in the end', async () => {
    const { wallet } = await addWallet(test, 10n);
    await test.sql(
      `INSERT INTO billing.api_key (wallet, key_id, name, revoked_at)
       SELECT $1, 'key_' || n, 'x', now() FROM generate_series(2, $2::integer) AS n`,
      [wallet, MAX_KEYS],
    );
    const another = keys.create({ wallet, keyHash: hash(), lastFour: 'wxyz', name: 'x' });
    // Revoking another would make no room.
    const message = expect.stringMatching(
      `${MAX_KEYS} keys, revoked ones included: (?!.*revoke one)`,
    ) as string;
    await expect(another).rejects.toMatchObject({ status: 409, message });
  });
});
