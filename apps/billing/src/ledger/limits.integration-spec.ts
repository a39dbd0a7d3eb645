import { randomBytes } from 'node:crypto';
import { withinOneDay } from '@svc/testing';
import { LOCK_WALLET, holding, waitingForLocks } from '../database/locks.for-spec';
import {
  addKey,
  addWallet,
  admission,
  charge,
  newHoldId,
  startTestLedger,
  untilReadable,
  withDaysOfAMoment,
} from './ledger.for-spec';
import type { TestLedger, TestWallet } from './ledger.for-spec';
import type { Admission } from './operation';

let test: TestLedger;

beforeAll(async () => {
  test = await startTestLedger({ unsettledCap: '500' });
});
afterAll(() => test.close());

const digest = () => randomBytes(32).toString('hex');

async function setBudget(at: TestWallet, cap: number | null, reset: string | null = null): Promise<void> {
  await test.sql(
    `UPDATE billing.key_budget SET cap = $3, reset = $4::billing.budget_reset,
            period_start = coalesce(billing.period_of($4::billing.budget_reset, now(), NULL), period_start)
     WHERE wallet = $1 AND key_id = $2`,
    [at.wallet, at.keyId, cap, reset],
  );
}

async function budgetOf(at: TestWallet): Promise<{ spent: string; held: string }> {
  const [row] = await test.sql<{ spent: string; held: string }>(
    'SELECT spent, held FROM billing.key_budget WHERE wallet = $1 AND key_id = $2',
    [at.wallet, at.keyId],
  );
  return row as { spent: string; held: string };
}

async function buy(at: TestWallet, amount: bigint, cost: number, holdId = newHoldId()): Promise<string> {
  const request = admission(at, amount, holdId);
  expect(await test.ledger.admit(request)).toMatchObject({ outcome: 'held' });
  const { wallet } = at;
  await test.ledger.resolve({ type: 'post', wallet, holdId: request.holdId, charge: charge(cost) });
  return request.holdId;
}

describe('a key budget', () => {
  it('bounds what is spent and held together, for its key alone', async () => {
    const at = await addWallet(test, 1_000n);
    const other = await addKey(test, at.wallet);
    await setBudget(at, 100);
    await buy(at, 50n, 40);
    expect(await test.ledger.admit(admission(at, 61n))).toEqual({
      ...{ outcome: 'insufficient', wallet: at.wallet, keyId: at.keyId },
      ...{ limitedBy: 'key', held: 0n, spendable: 60n },
    });
    expect(await test.ledger.admit(admission(other, 30n))).toMatchObject({ outcome: 'held' });
    expect(await test.ledger.admit(admission(at, 60n))).toMatchObject({ outcome: 'held' });
    // What its own requests hold, not those of the other.
    expect(await test.ledger.admit(admission(at, 1n))).toMatchObject({
      ...{ limitedBy: 'key', held: 60n, spendable: 0n },
    });
    expect(await test.ledger.admit(admission(other, 61n))).toMatchObject({ outcome: 'held' });
    expect(await budgetOf(at)).toEqual({ spent: '40', held: '60' });
  });

  it('admits exactly what it affords, of many at once', async () => {
    const at = await addWallet(test, 1_000n);
    const other = await addKey(test, at.wallet);
    expect(await test.ledger.admit(admission(other, 7n))).toMatchObject({ outcome: 'held' });
    await setBudget(at, 95);
    const results = await Promise.all(
      Array.from({ length: 64 }, () => test.ledger.admit(admission(at, 10n))),
    );
    expect(results.filter(({ outcome }) => outcome === 'held')).toHaveLength(9);
    for (const refused of results.filter(({ outcome }) => outcome !== 'held')) {
      expect(refused).toMatchObject({ limitedBy: 'key', held: 90n, spendable: 5n });
    }
  });

  it.each(['daily', 'weekly', 'monthly'])('starts anew: %s', async (reset) => {
    await withinOneDay(async () => {
      const at = await addWallet(test, 1_000n);
      await setBudget(at, 100, reset);
      await buy(at, 100n, 90);
      expect(await test.ledger.admit(admission(at, 20n))).toMatchObject({ limitedBy: 'key', spendable: 10n });
      // What lies in an earlier period: the last moment before this one.
      await test.sql(
        `UPDATE billing.key_budget SET period_start = billing.period_of(reset, period_start - interval '1 second', NULL)
         WHERE wallet = $1`,
        [at.wallet],
      );
      // A request that costs nothing does not carry over what was spent before.
      const unserved = admission(at, 100n);
      expect(await test.ledger.admit(unserved)).toMatchObject({ outcome: 'held' });
      await test.ledger.resolve({ type: 'void', wallet: at.wallet, holdId: unserved.holdId });
      await buy(at, 100n, 30);
      expect(await budgetOf(at)).toEqual({ spent: '30', held: '0' });
    });
  });

  it('gets a refund back only in the period that it was spent in', async () => {
    await withinOneDay(async () => {
      const at = await addWallet(test, 1_000n);
      await setBudget(at, 100, 'daily');
      const holdId = await buy(at, 50n, 40);
      const earlier = await buy(at, 50n, 30);
      await test.ledger.resolve({ type: 'abandon', wallet: at.wallet, holdId, reason: 'undelivered' });
      expect(await budgetOf(at)).toEqual({ spent: '30', held: '0' });
      await test.sql(
        `UPDATE billing.key_budget SET period_start = period_start + interval '1 day' WHERE wallet = $1`,
        [at.wallet],
      );
      await test.ledger.resolve({ type: 'abandon', wallet: at.wallet, holdId: earlier });
      expect(await budgetOf(at)).toEqual({ spent: '30', held: '0' });
    });
  });

  it('begins no period again when the clock goes back', async () => {
    await withinOneDay(async () => {
      const at = await addWallet(test, 1_000n);
      await setBudget(at, 100, 'daily');
      await buy(at, 50n, 40);
      await test.sql(
        `UPDATE billing.key_budget SET period_start = period_start + interval '1 day' WHERE wallet = $1`,
        [at.wallet],
      );
      expect(await test.ledger.admit(admission(at, 61n))).toMatchObject({ limitedBy: 'key', spendable: 60n });
      await buy(at, 60n, 10);
      expect(await budgetOf(at)).toEqual({ spent: '50', held: '0' });
    });
  });
});

describe('a key budget whose day begins while a charge waits for its wallet', () => {
  it('gets a refund back in the day that the charge was counted for', async () => {
    await withDaysOfAMoment(test, async () => {
      const at = await addWallet(test, 1_000n);
      await setBudget(at, 100, 'daily');
      const holdId = await buy(at, 50n, 40);
      expect(await budgetOf(at)).toEqual({ spent: '40', held: '0' });
      await test.ledger.resolve({ type: 'abandon', wallet: at.wallet, holdId, reason: 'undelivered' });
      expect(await budgetOf(at)).toEqual({ spent: '0', held: '0' });
    });
  });
});

describe('the cap on what is not settled', () => {
  it('bounds what is owed and held beyond what the chain has collected', async () => {
    const at = await addWallet(test, 10_000n);
    await buy(at, 400n, 300);
    expect(await test.ledger.admit(admission(at, 201n))).toMatchObject({
      limitedBy: 'unsettled',
      spendable: 200n,
    });
    await test.sql(
      `SELECT billing.write_limits(ARRAY[$1], ARRAY[9700::numeric], ARRAY[9700::numeric], ARRAY[300::numeric],
                                   ARRAY[9700::numeric], ARRAY[9700::numeric], ARRAY[300::numeric])`,
      [at.wallet],
    );
    expect(await test.ledger.admit(admission(at, 500n))).toMatchObject({ outcome: 'held' });
    expect(await test.ledger.admit(admission(at, 1n))).toMatchObject({ limitedBy: 'unsettled' });
    const legs = await test.sql(
      `SELECT debit_account, credit_account, amount FROM billing.transfer WHERE wallet = $1 AND kind = 'settle'`,
      [at.wallet],
    );
    expect(legs).toEqual([{ debit_account: 'settled', credit_account: 'payer', amount: '300' }]);
  });

  it.each([500n, 501n])('is no higher for what was given back after it was collected: %s', async (amount) => {
    const at = await addWallet(test, 10_000n);
    await buy(at, 300n, 300);
    await test.sql(
      'UPDATE billing.wallet SET settled_head = 300, settled_safe = 300, credited = 100 WHERE wallet = $1',
      [at.wallet],
    );
    const decided =
      amount > 500n ? { limitedBy: 'unsettled', spendable: 500n } : { outcome: 'held', amount: 500n };
    expect(await test.ledger.admit(admission(at, amount))).toMatchObject(decided);
  });
});

describe('several keys of one wallet in one batch', () => {
  const askAll = (keys: readonly TestWallet[], amount: bigint) =>
    Promise.all(keys.map((key) => test.ledger.admit(admission(key, amount))));

  it.each([
    ['its means', 250n, 'wallet'],
    ['the cap on what is not settled', 10_000n, 'unsettled'],
  ])('are together bound by %s, though each alone would fit', async (_, means, limitedBy) => {
    const at = await addWallet(test, means);
    const keys = [at, await addKey(test, at.wallet), await addKey(test, at.wallet)];
    const amount = means < 500n ? 100n : 200n;
    const results = await askAll(keys, amount);
    expect(results.map(({ outcome }) => outcome)).toEqual(['held', 'held', 'insufficient']);
    expect(results[2]).toMatchObject({ limitedBy, held: 2n * amount });
    const [row] = await test.sql('SELECT held FROM billing.wallet WHERE wallet = $1', [at.wallet]);
    expect(row).toEqual({ held: String(2n * amount) });
  });

  it('are all admitted where all of it just fits, a key without a cap beside one with', async () => {
    const at = await addWallet(test, 300n);
    const keys = [at, await addKey(test, at.wallet), await addKey(test, at.wallet)];
    await setBudget(at, 100);
    const held = keys.map(({ wallet, keyId }) => ({ outcome: 'held', wallet, keyId, amount: 100n }));
    expect(await askAll(keys, 100n)).toEqual(held);
    expect(await budgetOf(at)).toEqual({ spent: '0', held: '100' });
    expect(await askAll(keys, 1n)).toMatchObject([
      { outcome: 'insufficient', limitedBy: 'wallet', spendable: 0n },
      { outcome: 'insufficient' },
      { outcome: 'insufficient' },
    ]);
  });
});

describe('a wallet that the chain could not collect from', () => {
  it('is suspended until it is whole', async () => {
    const at = await addWallet(test, 100n);
    await test.sql('UPDATE billing.wallet SET pull_failed_at = now() WHERE wallet = $1', [at.wallet]);
    expect(await test.ledger.admit(admission(at, 1n))).toEqual({ outcome: 'suspended' });
  });
});

describe('an idempotency key', () => {
  const claimed = (at: TestWallet, keyHash: string, fingerprint = 'a'.repeat(64)): Admission => ({
    ...admission(at, 10n),
    idempotency: { keyHash, fingerprint },
  });

  it('stands for one request of many at once', async () => {
    const at = await addWallet(test, 10_000n);
    const keyHash = digest();
    const results = await Promise.all(
      Array.from({ length: 100 }, () => test.ledger.admit(claimed(at, keyHash))),
    );
    const holds = results.filter(({ outcome }) => outcome === 'held');
    expect(holds).toHaveLength(1);
    const standing = results.flatMap((result) => (result.outcome === 'running' ? [result.holdId] : []));
    expect(standing).toHaveLength(99);
    expect(new Set(standing).size).toBe(1);
    expect(await budgetOf(at)).toEqual({ spent: '0', held: '10' });
  });

  it('is refused for another request, is pinned by a post, and belongs to its wallet', async () => {
    const [at, stranger] = [await addWallet(test, 100n), await addWallet(test, 100n)];
    const keyHash = digest();
    const first = claimed(at, keyHash);
    await test.ledger.admit(first);
    expect(await test.ledger.admit(claimed(at, keyHash, 'b'.repeat(64)))).toEqual({ outcome: 'mismatch' });
    const { wallet } = at;
    await test.ledger.resolve({ type: 'post', wallet, holdId: first.holdId, charge: charge(7) });
    expect(await test.ledger.admit(claimed(at, keyHash))).toEqual({
      ...{ outcome: 'completed', wallet, keyId: at.keyId },
      ...{ holdId: first.holdId, amount: 10n },
    });
    expect(await test.ledger.admit(claimed(stranger, keyHash))).toMatchObject({ outcome: 'held' });
  });

  it('stands whatever becomes of the others of its wallet', async () => {
    const at = await addWallet(test, 100n);
    const { wallet } = at;
    const [charged, freed, running] = [digest(), digest(), digest()] as const;
    const ask = (keyHash: string) => test.ledger.admit(claimed(at, keyHash));
    const first = claimed(at, charged);
    await test.ledger.admit(first);
    const second = claimed(at, freed);
    await test.ledger.admit(second);
    await ask(running);
    await test.ledger.resolve({ type: 'post', wallet, holdId: first.holdId, charge: charge(7) });
    await test.ledger.resolve({ type: 'void', wallet, holdId: second.holdId });
    expect(await ask(charged)).toMatchObject({ outcome: 'completed' });
    expect(await ask(running)).toMatchObject({ outcome: 'running' });
  });

  it('stands for a request of each wallet that gives it at once', async () => {
    const wallets = [await addWallet(test, 100n), await addWallet(test, 100n)];
    const keyHash = digest();
    const results = await Promise.all(wallets.map((at) => test.ledger.admit(claimed(at, keyHash))));
    expect(results).toMatchObject(wallets.map(({ wallet }) => ({ outcome: 'held', wallet })));
  });

  it.each(['void', 'abandon', 'expire', 'refund'])('is free again after %s', async (how) => {
    const at = await addWallet(test, 100n);
    const keyHash = digest();
    const first = claimed(at, keyHash);
    await test.ledger.admit(first);
    const { wallet } = at;
    const { holdId } = first;
    if (how === 'refund') await test.ledger.resolve({ type: 'post', wallet, holdId, charge: charge(7) });
    await test.sql(`UPDATE billing.open_hold SET lease_until = now() - interval '1 s' WHERE hold_id = $1`, [
      holdId,
    ]);
    const type = how === 'refund' ? 'abandon' : (how as 'void');
    await test.ledger.resolve({ type, wallet, holdId });
    const again = claimed(at, keyHash);
    expect(await test.ledger.admit(again)).toMatchObject({ outcome: 'held' });
  });
});

describe('keys that may not be used', () => {
  it.each([
    'billing.api_key SET revoked_at = now()',
    'billing.api_key SET disabled_at = now()',
    "billing.key_secret SET expires_at = now() - interval '1 s'",
  ])('%s', async (change) => {
    const at = await addWallet(test, 100n);
    await test.sql(`UPDATE ${change} WHERE wallet = $1`, [at.wallet]);
    expect(await test.ledger.admit(admission(at, 1n))).toEqual({ outcome: 'unknown_key' });
  });
});

describe('credits and refunds', () => {
  const credit = async (wallet: string, id: string, amount: string, reason = 'sorry'): Promise<unknown> =>
    (
      await test.sql(`SELECT billing.credit_wallet($1, $2, $3, $4, 'ops') AS state`, [
        wallet,
        id,
        amount,
        reason,
      ])
    )[0];
  const refund = async (wallet: string, holdId: string): Promise<unknown> =>
    (await test.sql(`SELECT billing.refund($1, $2, 'broken', 'ops') AS state`, [wallet, holdId]))[0];

  it('lower what is owed once, and never what was posted', async () => {
    const at = await addWallet(test, 100n);
    const holdId = await buy(at, 60n, 60);
    expect(await refund(at.wallet, holdId)).toEqual({ state: 'refunded' });
    expect(await refund(at.wallet, holdId)).toEqual({ state: 'repeated' });
    expect(await credit(at.wallet, 'gift', '5')).toEqual({ state: 'credited' });
    expect(await credit(at.wallet, 'gift', '5')).toEqual({ state: 'repeated' });
    expect(await credit(at.wallet, 'gift', '6')).toEqual({ state: 'different' });
    expect(await credit(at.wallet, 'gift', '5', 'thanks')).toEqual({ state: 'different' });
    const [row] = await test.sql('SELECT posted, credited FROM billing.wallet WHERE wallet = $1', [
      at.wallet,
    ]);
    expect(row).toEqual({ posted: '60', credited: '65' });
    // A credit is money to spend.
    expect(await test.ledger.admit(admission(at, 105n))).toMatchObject({ outcome: 'held' });
  });

  it('are told apart where a credit is given under the id of a request', async () => {
    const at = await addWallet(test, 200n);
    const [before, after] = [await buy(at, 60n, 60), await buy(at, 60n, 60)];
    expect(await credit(at.wallet, before, '5')).toEqual({ state: 'credited' });
    expect(await refund(at.wallet, before)).toEqual({ state: 'refunded' });
    expect(await refund(at.wallet, after)).toEqual({ state: 'refunded' });
    expect(await credit(at.wallet, after, '5')).toEqual({ state: 'credited' });
    const [row] = await test.sql('SELECT credited FROM billing.wallet WHERE wallet = $1', [at.wallet]);
    expect(row).toEqual({ credited: '130' });
  });

  it.each<[string, (wallet: string, id: string) => Promise<unknown>, string]>([
    ['credited', (wallet, id) => credit(wallet, id, '5'), '65'],
    ['refunded', refund, '60'],
  ])('are %s once where two operators give the same at the same moment', async (state, give, credited) => {
    const at = await addWallet(test, 100n);
    const id = await buy(at, 60n, 60);
    if (state === 'credited') await refund(at.wallet, id);
    const blocker = await holding(test.database, LOCK_WALLET, [at.wallet]);
    const given = Promise.all([1, 2].map(() => give(at.wallet, id)));
    await waitingForLocks(test.database, 2);
    await blocker.done();
    expect(await given).toEqual(expect.arrayContaining([{ state }, { state: 'repeated' }]));
    const [row] = await test.sql('SELECT credited FROM billing.wallet WHERE wallet = $1', [at.wallet]);
    expect(row).toEqual({ credited });
  });

  it('are told apart where another wallet has the same id', async () => {
    const [at, other] = [await addWallet(test, 200n), await addWallet(test, 200n)];
    const id = await buy(at, 60n, 60);
    await buy(other, 50n, 40, id);
    for (const { wallet } of [at, other]) {
      expect(await refund(wallet, id)).toEqual({ state: 'refunded' });
      expect(await credit(wallet, id, '5')).toEqual({ state: 'credited' });
    }
    const given = `SELECT wallet, kind, amount, reason, actor FROM billing.credit WHERE credit_id = $1 ORDER BY amount DESC`;
    const [theirs, credits] = [
      { kind: 'refund', reason: 'broken', actor: 'ops' },
      [at, other].map(({ wallet }) => ({
        wallet,
        kind: 'credit',
        amount: '5',
        reason: 'sorry',
        actor: 'ops',
      })),
    ];
    const rows = await test.sql(given, [id]);
    expect(rows.slice(0, 2)).toEqual([
      { wallet: at.wallet, amount: '60', ...theirs },
      { wallet: other.wallet, amount: '40', ...theirs },
    ]);
    expect(rows.slice(2)).toEqual(expect.arrayContaining(credits));
  });

  it('know strangers, and requests that were not charged', async () => {
    const at = await addWallet(test, 100n);
    const open = admission(at, 10n);
    await test.ledger.admit(open);
    expect(await refund(at.wallet, open.holdId)).toEqual({ state: 'uncharged' });
    // Its late post the platform pays.
    const { wallet } = at;
    await test.ledger.resolve({ type: 'void', wallet, holdId: open.holdId });
    const late = { type: 'post', wallet, holdId: open.holdId, charge: charge(1) } as const;
    expect(await test.ledger.resolve(late)).toMatchObject({ state: 'late' });
    expect(await refund(wallet, open.holdId)).toEqual({ state: 'uncharged' });
    expect(await refund(wallet, await buy(at, 10n, 0))).toEqual({ state: 'uncharged' });
    expect(await refund(at.wallet, newHoldId())).toEqual({ state: 'unknown' });
    expect(await credit(`0x${'0'.repeat(40)}`, 'gift', '5')).toEqual({ state: 'unknown' });
  });

  it('refuses to let posted or credited fall, whoever asks', async () => {
    const at = await addWallet(test, 100n);
    await buy(at, 60n, 60);
    await expect(
      test.sql('UPDATE billing.wallet SET posted = 59 WHERE wallet = $1', [at.wallet]),
    ).rejects.toThrow(/only grow/);
    await credit(at.wallet, 'gift', '5');
    await expect(
      test.sql('UPDATE billing.wallet SET credited = 4 WHERE wallet = $1', [at.wallet]),
    ).rejects.toThrow(/only grow/);
    await expect(
      test
        .sql('DELETE FROM billing.credit WHERE wallet = $1', [at.wallet])
        .then(() => test.sql('TRUNCATE billing.credit')),
    ).rejects.toThrow(/never change/);
  });
});

describe('receipts', () => {
  it('are made once from everything that changed what is owed', async () => {
    const at = await addWallet(test, 400n);
    const kept = await buy(at, 60n, 60);
    const given = await buy(at, 50n, 50);
    await test.sql(`SELECT billing.refund($1, $2, 'broken', 'ops')`, [at.wallet, given]);
    await test.sql(`SELECT billing.credit_wallet($1, 'gift', 5, 'sorry', 'ops')`, [at.wallet]);
    await untilReadable(test);
    await Promise.all([1, 2, 3].map(() => test.sql('SELECT billing.project_receipts(10000)')));
    await test.sql('SELECT billing.project_receipts(10000)');
    const rows = await test.sql(
      'SELECT receipt_id, kind, amount FROM billing.receipt WHERE wallet = $1 ORDER BY amount',
      [at.wallet],
    );
    expect(rows).toEqual([
      { receipt_id: given, kind: 'refund', amount: '-50' },
      { receipt_id: 'gift', kind: 'credit', amount: '-5' },
      { receipt_id: given, kind: 'usage', amount: '50' },
      { receipt_id: kept, kind: 'usage', amount: '60' },
    ]);
  });
});

describe('a transfer', () => {
  const legs = [
    ['hold', 'payer', 'held'],
    ['post', 'held', 'payer'],
    ['share', 'payer', 'provider'],
    ['fee', 'payer', 'platform_fee'],
    ['refund', 'platform_loss', 'payer'],
    ['late_share', 'platform_loss', 'provider'],
    ['late_fee', 'platform_loss', 'platform_fee'],
    ['clamp_share', 'platform_loss', 'provider'],
    ['clamp_fee', 'platform_loss', 'platform_fee'],
    ['credit', 'platform_loss', 'payer'],
    ['settle', 'settled', 'payer'],
    ['unsettle', 'payer', 'settled'],
    ['payout', 'provider', 'settled'],
    ['unpayout', 'settled', 'provider'],
  ] as const;

  it.each(legs.map((leg, number) => [number, ...leg] as const))(
    'is what its leg says, and nothing else: %i %s',
    async (leg, kind, debit, credit) => {
      const provider = [debit, credit].includes('provider') ? '0xf' : null;
      const insert = (row: unknown[]) =>
        test.sql(
          `INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, provider)
           VALUES ('0xc', $1, $2, $3::text::billing.transfer_kind, $4::text::billing.account, $5::text::billing.account, $6, $7)`,
          [newHoldId(), ...row],
        );
      await insert([leg, kind, debit, credit, 1, provider]);
      const wrong = [
        [leg, kind, credit, debit, 1, provider],
        [(leg + 1) % legs.length, kind, debit, credit, 1, provider],
        [leg, legs[(leg + 2) % legs.length]?.[0], debit, credit, 1, provider],
        [leg, kind, debit, credit, 0, provider],
        [leg, kind, debit, credit, 1, provider === null ? '0xf' : null],
        [leg + 14, kind, debit, credit, 1, provider],
        [-1, kind, debit, credit, 1, provider],
      ];
      for (const row of wrong) await expect(insert(row)).rejects.toThrow(/transfer_check/);
    },
  );
});

describe('many requests under one idempotency key', () => {
  it('keep nobody else waiting, whoever sends them', async () => {
    const other = await addWallet(test, 100n);
    const stranger = { ...other, keyHash: digest() };
    const keyHash = digest();
    const { committed } = (await test.metrics.batchSize.get()).values.reduce(
      (sum, { metricName, value }) => ({
        committed: sum.committed + (metricName?.endsWith('_count') ? value : 0),
      }),
      { committed: 0 },
    );
    const flood = Array.from({ length: 3_000 }, (_, index) =>
      test.ledger.admit({
        ...admission(stranger, 1n),
        idempotency: { keyHash, fingerprint: String(index).padStart(64, '0') },
      }),
    );
    expect(await test.ledger.admit(admission(other, 1n))).toMatchObject({ outcome: 'held' });
    const outcomes = await Promise.all(flood);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['unknown_key']));
    const batches = (await test.metrics.batchSize.get()).values.find(({ metricName }) =>
      metricName?.endsWith('_count'),
    )?.value;
    // Six full batches and a rest, not one for each.
    expect((batches ?? 0) - committed).toBeLessThan(10);
  });
});
