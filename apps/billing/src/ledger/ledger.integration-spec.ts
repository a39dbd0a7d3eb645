import { Client } from 'pg';
import { billingContracts } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { BillingConfig } from '../billing.config';
import type { LedgerMetrics } from './ledger.metrics';
import { LedgerService } from './ledger.service';
import { LossyProxy } from './lossy-proxy.for-spec';
import { chargeOf } from '../hold/charge';
import { LOCK_WALLET, holding, waitingForLocks } from '../database/locks.for-spec';
import {
  SHARE_BPS,
  addKey,
  addWallet,
  admission,
  charge,
  decided,
  lapse,
  newHoldId,
  startTestLedger,
  usageOf,
} from './ledger.for-spec';
import type { TestLedger, TestWallet } from './ledger.for-spec';
import { createLogger } from '@svc/observability';
import type { Admission, Release, ResolutionResult } from './operation';

interface WalletFigures {
  owed: string;
  held: string;
}

let test: TestLedger;

beforeAll(async () => {
  test = await startTestLedger();
});
afterAll(() => test.close());

const admit = (request: Admission) => test.ledger.admit(request);
const post = (at: TestWallet, holdId: string, cost: number) =>
  test.ledger.resolve({ type: 'post', wallet: at.wallet, holdId, charge: charge(cost) });
const release = (at: TestWallet, holdId: string, type: Release['type']) =>
  test.ledger.resolve({ type, wallet: at.wallet, holdId });

async function figures({ wallet }: TestWallet): Promise<WalletFigures | undefined> {
  const [row] = await test.sql<WalletFigures>(
    'SELECT posted - credited AS owed, held FROM billing.wallet WHERE wallet = $1',
    [wallet],
  );
  return row;
}

async function legs(holdId: string): Promise<string[]> {
  const rows = await test.sql<{ movement: string }>(
    `SELECT kind || ' ' || debit_account || '>' || credit_account || ' ' || amount AS movement
     FROM billing.transfer WHERE reference = $1 ORDER BY leg`,
    [holdId],
  );
  return rows.map(({ movement }) => movement);
}

/** A hold of 100 in a wallet that has 1,000. */
async function held(): Promise<{ at: TestWallet; holdId: string }> {
  const at = await addWallet(test, 1_000n);
  const holdId = newHoldId();
  expect(await admit(admission(at, 100n, holdId))).toMatchObject({ outcome: 'held' });
  return { at, holdId };
}

describe('admission', () => {
  it('holds the amount', async () => {
    const at = await addWallet(test, 1_000n);
    const request = admission(at, 300n);
    const { wallet, keyId } = at;
    expect(await admit(request)).toEqual({ outcome: 'held', wallet, keyId, amount: 300n });
    expect(await figures(at)).toEqual({ owed: '0', held: '300' });
    expect(await legs(request.holdId)).toEqual(['hold payer>held 300']);
  });

  it.each([7, 64, 1_500])('admits exactly what a wallet affords, of %i at once', async (count) => {
    const affordable = Math.floor(count / 2);
    const at = await addWallet(test, BigInt(affordable) * 10n + 9n);
    const results = await Promise.all(Array.from({ length: count }, () => admit(admission(at, 10n))));
    expect(results.filter(({ outcome }) => outcome === 'held')).toHaveLength(affordable);
    expect(results.filter(({ outcome }) => outcome === 'insufficient')).toHaveLength(count - affordable);
    expect(await figures(at)).toEqual({ owed: '0', held: String(affordable * 10) });
  });

  it('admits exactly what a wallet affords through two instances at once', async () => {
    const other = new LedgerService(test.config, createLogger('test', 'silent'), test.metrics);
    const at = await addWallet(test, 500n);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const request = admission(at, 10n);
        return decided(() => (index % 2 ? test.ledger : other).admit(request));
      }),
    );
    await other.beforeApplicationShutdown();
    expect(results.filter(({ outcome }) => outcome === 'held')).toHaveLength(50);
    expect(await figures(at)).toEqual({ owed: '0', held: '500' });
  });

  it('lets a smaller one pass after one that did not fit', async () => {
    const at = await addWallet(test, 100n);
    const results = await Promise.all([60n, 60n, 40n].map((amount) => admit(admission(at, amount))));
    expect(results.map(({ outcome }) => outcome)).toEqual(['held', 'insufficient', 'held']);
    expect(results[1]).toMatchObject({ held: 60n, spendable: 40n, limitedBy: 'wallet' });
  });

  it('answers a repeat with the same hold, at once and later, and holds once', async () => {
    const at = await addWallet(test, 1_000n);
    const request = admission(at, 300n);
    const results = await Promise.all([admit(request), admit(request), admit(request)]);
    expect(await admit(request)).toEqual(results[0]);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(await figures(at)).toEqual({ owed: '0', held: '300' });
  });

  it('refuses another admission under the same id', async () => {
    const at = await addWallet(test, 1_000n);
    const other = await addKey(test, at.wallet);
    const request = admission(at, 300n);
    await admit(request);
    expect(await admit({ ...request, amount: 301n })).toEqual({ outcome: 'different' });
    expect(await admit({ ...request, keyHash: other.keyHash })).toEqual({ outcome: 'different' });
    expect(await figures(at)).toEqual({ owed: '0', held: '300' });
  });

  it.each(['post', 'void', 'abandon', 'expire'] as const)('does not hold again after %s', async (how) => {
    const at = await addWallet(test, 1_000n);
    const request = admission(at, 100n);
    await admit(request);
    if (how === 'expire') await lapse(test, [request.holdId]);
    await (how === 'post' ? post(at, request.holdId, 40) : release(at, request.holdId, how));
    expect(await admit(request)).toEqual({ outcome: 'resolved' });
    expect(await figures(at)).toMatchObject({ held: '0' });
  });

  it('refuses unknown and revoked keys and suspended wallets, but stands by a hold already given', async () => {
    const at = await addWallet(test, 1_000n);
    const given = admission(at, 100n);
    await admit(given);
    expect(await admit({ ...admission(at, 1n), keyHash: 'f'.repeat(64) })).toEqual({
      outcome: 'unknown_key',
    });
    await test.sql(`UPDATE billing.wallet SET suspended_at = now() WHERE wallet = $1`, [at.wallet]);
    expect(await admit(admission(at, 1n))).toEqual({ outcome: 'suspended' });
    expect(await admit(given)).toMatchObject({ outcome: 'held' });
    await test.sql(`UPDATE billing.api_key SET revoked_at = now() WHERE key_id = $1`, [at.keyId]);
    expect(await admit(admission(at, 1n))).toEqual({ outcome: 'unknown_key' });
    expect(await post(at, given.holdId, 50)).toEqual({ state: 'posted', charged: 50n });
  });

  it.each([
    ['the head shows less', 'limit_head = 50'],
    ['the safe depth shows less', 'limit_safe = 50'],
  ])('counts the smaller view: %s', async (_, change) => {
    const at = await addWallet(test, 1_000n);
    await test.sql(`UPDATE billing.wallet SET ${change} WHERE wallet = $1`, [at.wallet]);
    expect(await admit(admission(at, 51n))).toMatchObject({ outcome: 'insufficient', spendable: 50n });
    expect(await admit(admission(at, 50n))).toMatchObject({ outcome: 'held' });
  });

  it('adds what was settled on chain to what the chain still shows', async () => {
    const { at, holdId } = await held();
    await post(at, holdId, 100);
    // The contract pulled the 100: the balance fell by as much.
    await test.sql(
      `UPDATE billing.wallet SET limit_head = 900, settled_head = 100, limit_safe = 900, settled_safe = 100 WHERE wallet = $1`,
      [at.wallet],
    );
    expect(await admit(admission(at, 901n))).toMatchObject({ outcome: 'insufficient', spendable: 900n });
    expect(await admit(admission(at, 900n))).toMatchObject({ outcome: 'held' });
  });

  it('takes the largest amounts without leaving BIGINT', async () => {
    const at = await addWallet(test, 4_000_000_000_000_000_000n);
    const beyond = 9_223_372_036_854_775_807n;
    expect(await admit(admission(at, beyond))).toMatchObject({ outcome: 'insufficient' });
    expect(await admit(admission(at, 4_000_000_000_000_000_000n))).toMatchObject({ outcome: 'held' });
    expect(await admit(admission(at, 1n))).toMatchObject({ outcome: 'insufficient', spendable: 0n });
  });
});

describe('resolution', () => {
  it('post: charges the cost, splits it, frees the rest, leaves a receipt', async () => {
    const { at, holdId } = await held();
    expect(await post(at, holdId, 55)).toEqual({ state: 'posted', charged: 55n });
    expect(await figures(at)).toEqual({ owed: '55', held: '0' });
    expect(await legs(holdId)).toEqual([
      'hold payer>held 100',
      'post held>payer 100',
      'share payer>provider 49',
      'fee payer>platform_fee 6',
    ]);
    const [receipt] = await test.sql('SELECT * FROM billing.usage_record WHERE hold_id = $1', [holdId]);
    expect(receipt).toMatchObject({
      ...{ wallet: at.wallet, key_id: at.keyId, model: 'svc/demo@1', offer_id: 'offer-1' },
      ...{ prompt_tokens: 5, completion_tokens: 55, token_source: 'provider', attempts: 1 },
      ...{ held: '100', cost: '55', provider_share: '49', platform_loss: '0', late: false },
    });
  });

  it('keeps every figure of a charge with its record', async () => {
    const { at, holdId } = await held();
    const usage = usageOf(7, {
      ...{ inputPricePerMtok: '150000', outputPricePerMtok: '600000', promptTokens: 11 },
      ...{ tokenSource: 'capped', attempts: 3, finishReason: 'length', firstTokenMs: 120, totalMs: 450 },
    });
    const { wallet } = at;
    const charge = chargeOf(usage, SHARE_BPS);
    expect(await test.ledger.resolve({ type: 'post', wallet, holdId, charge })).toMatchObject({
      charged: 6n,
    });
    const [record] = await test.sql('SELECT * FROM billing.usage_record WHERE hold_id = $1', [holdId]);
    expect(record).toMatchObject({
      ...{ model: usage.model, offer_id: usage.offerId, provider: usage.provider, cost: '6' },
      ...{ input_price_per_mtok: '150000', output_price_per_mtok: '600000' },
      ...{ prompt_tokens: 11, completion_tokens: 7, token_source: 'capped' },
      ...{ attempts: 3, finish_reason: 'length', first_token_ms: 120, total_ms: 450 },
    });
  });

  it('post of nothing: resolves, charges nothing', async () => {
    const { at, holdId } = await held();
    expect(await post(at, holdId, 0)).toEqual({ state: 'posted', charged: 0n });
    expect(await legs(holdId)).toEqual(['hold payer>held 100', 'post held>payer 100']);
    expect(await release(at, holdId, 'abandon')).toEqual({ state: 'posted', charged: 0n });
  });

  it('post of more than was held: refused, the hold stays open', async () => {
    const { at, holdId } = await held();
    expect(await post(at, holdId, 101)).toEqual({ state: 'above_hold', charged: 0n });
    expect(await figures(at)).toEqual({ owed: '0', held: '100' });
    expect(await post(at, holdId, 100)).toEqual({ state: 'posted', charged: 100n });
  });

  it('post of the whole hold: nobody pays for more than that', async () => {
    const { at, holdId } = await held();
    expect(await post(at, holdId, 100)).toEqual({ state: 'posted', charged: 100n });
    expect(await figures(at)).toEqual({ owed: '100', held: '0' });
    expect((await legs(holdId)).slice(2)).toEqual(['share payer>provider 90', 'fee payer>platform_fee 10']);
    const [receipt] = await test.sql('SELECT platform_loss FROM billing.usage_record WHERE hold_id = $1', [
      holdId,
    ]);
    expect(receipt).toEqual({ platform_loss: '0' });
  });

  it.each(['void', 'abandon'] as const)('%s: frees the hold, charges nothing', async (how) => {
    const { at, holdId } = await held();
    expect(await release(at, holdId, how)).toEqual({ state: 'voided', charged: 0n });
    expect(await figures(at)).toEqual({ owed: '0', held: '0' });
    expect(await legs(holdId)).toEqual(['hold payer>held 100', 'void held>payer 100']);
  });

  it('expire: only once the lease has lapsed', async () => {
    const { at, holdId } = await held();
    expect(await release(at, holdId, 'expire')).toEqual({ state: 'open', charged: 0n });
    await lapse(test, [holdId]);
    const renewal = { type: 'renew', wallet: at.wallet, holdId } as const;
    expect(await test.ledger.renew(renewal)).toEqual({ renewed: true });
    expect(await release(at, holdId, 'expire')).toEqual({ state: 'open', charged: 0n });
    await lapse(test, [holdId]);
    expect(await release(at, holdId, 'expire')).toEqual({ state: 'expired', charged: 0n });
    expect(await test.ledger.renew(renewal)).toEqual({ renewed: false });
    expect(await figures(at)).toEqual({ owed: '0', held: '0' });
  });

  it('keeps with the record why a request was served so, in time or late', async () => {
    const route = [
      { offerId: 'offer-2', why: 'cheapest', outcome: 'first_token_timeout' },
      { offerId: 'offer-1', why: 'says "ünder", {and} so on', outcome: 'served' },
    ];
    const routed = chargeOf(usageOf(7, { route }), SHARE_BPS);
    const kept = async (holdId: string) => {
      const rows = await test.sql('SELECT route, late FROM billing.usage_record WHERE hold_id = $1', [
        holdId,
      ]);
      return rows[0];
    };
    const [first, second, third] = [await held(), await held(), await held()];
    const { wallet } = first.at;
    await release(second.at, second.holdId, 'void');
    await Promise.all([
      test.ledger.resolve({ type: 'post', wallet, holdId: first.holdId, charge: routed }),
      test.ledger.resolve({ type: 'post', ...second, wallet: second.at.wallet, charge: routed }),
      post(third.at, third.holdId, 7),
    ]);
    expect(await kept(first.holdId)).toEqual({ route, late: false });
    expect(await kept(second.holdId)).toEqual({ route, late: true });
    expect(await kept(third.holdId)).toEqual({ route: null, late: false });
  });

  it('abandon after post: the payer gets the money back, the provider keeps its share', async () => {
    const { at, holdId } = await held();
    await post(at, holdId, 55);
    expect(await release(at, holdId, 'abandon')).toEqual({ state: 'refunded', charged: 0n });
    expect(await figures(at)).toEqual({ owed: '0', held: '0' });
    expect((await legs(holdId)).slice(4)).toEqual(['refund platform_loss>payer 55']);
    expect(
      await test.sql('SELECT DISTINCT key_id FROM billing.transfer WHERE reference = $1', [holdId]),
    ).toEqual([{ key_id: at.keyId }]);
  });

  it.each(['void', 'expire'] as const)(
    'post after %s: the platform pays, the payer does not',
    async (how) => {
      const { at, holdId } = await held();
      await lapse(test, [holdId]);
      await release(at, holdId, how);
      expect(await post(at, holdId, 101)).toEqual({ state: 'above_hold', charged: 0n });
      expect(await post(at, holdId, 55)).toEqual({ state: 'late', charged: 0n });
      expect(await figures(at)).toEqual({ owed: '0', held: '0' });
      expect((await legs(holdId)).slice(2)).toEqual([
        'late_share platform_loss>provider 49',
        'late_fee platform_loss>platform_fee 6',
      ]);
      const [receipt] = await test.sql('SELECT cost, late FROM billing.usage_record WHERE hold_id = $1', [
        holdId,
      ]);
      expect(receipt).toEqual({ cost: '55', late: true });
    },
  );

  it('frees nothing of a hold that somebody moves without the lock of its wallet', async () => {
    const { at, holdId } = await held();
    const careless = await holding(
      test.database,
      'UPDATE billing.open_hold SET lease_until = lease_until WHERE hold_id = $1',
      [holdId],
    );
    const refused = expect(release(at, holdId, 'void')).rejects.toThrow(/without the lock/);
    await eventually(async () => (await test.database.waitingForLocks()) > 0);
    await careless.done();
    await refused;
    expect(await figures(at)).toEqual({ owed: '0', held: '100' });
    expect(await release(at, holdId, 'void')).toEqual({ state: 'voided', charged: 0n });
    expect(await figures(at)).toEqual({ owed: '0', held: '0' });
  });

  it('knows nothing of a hold it never saw, and changes nothing', async () => {
    const at = await addWallet(test, 1_000n);
    for (const type of ['void', 'abandon', 'expire'] as const) {
      expect(await release(at, 'req_never', type)).toEqual({ state: 'unknown', charged: 0n });
    }
    expect(await post(at, 'req_never', 5)).toEqual({ state: 'unknown', charged: 0n });
    expect(await legs('req_never')).toEqual([]);
    const { at: owner, holdId } = await held();
    expect(await post(at, holdId, 5)).toEqual({ state: 'unknown', charged: 0n });
    expect(await figures(owner)).toEqual({ owed: '0', held: '100' });
  });

  describe('in every order, each word twice: first come decides, repeats change nothing', () => {
    type Word = 'post' | 'void' | 'abandon' | 'expire';
    const words: Word[] = ['post', 'void', 'abandon', 'expire'];
    const orders = words.flatMap((a) =>
      words.flatMap((b) => words.map((c) => [a, b, c] as [Word, Word, Word])),
    );
    const next: Record<string, Partial<Record<Word, ResolutionResult['state']>>> = {
      open: { post: 'posted', void: 'voided', abandon: 'voided', expire: 'expired' },
      posted: { abandon: 'refunded' },
      voided: { post: 'late' },
      expired: { post: 'late' },
    };

    it.each(orders)('%s, %s, %s', async (...order) => {
      const { at, holdId } = await held();
      await lapse(test, [holdId]);
      let state: string = 'open';
      for (const word of order) {
        state = next[state]?.[word] ?? state;
        const expected = { state, charged: state === 'posted' ? 55n : 0n };
        for (let repeat = 0; repeat < 2; repeat++) {
          const said = word === 'post' ? post(at, holdId, 55) : release(at, holdId, word);
          expect(await said).toEqual(expected);
        }
      }
      expect(await figures(at)).toEqual({ owed: state === 'posted' ? '55' : '0', held: '0' });
    });
  });
});

describe('what the database itself refuses', () => {
  const refusal = (text: string, values: unknown[] = []) => expect(test.sql(text, values)).rejects;

  it('spending more than there is', async () => {
    const { at } = await held();
    await refusal('UPDATE billing.wallet SET held = 1001 WHERE wallet = $1', [at.wallet]).toThrow(/oversold/);
    await refusal('UPDATE billing.wallet SET posted = 901 WHERE wallet = $1', [at.wallet]).toThrow(
      /oversold/,
    );
    await refusal('UPDATE billing.wallet SET held = -1 WHERE wallet = $1', [at.wallet]).toThrow(/check/);
    // A fall of the limits is a fact and must be recorded; so must a charge within what is held.
    await test.sql('UPDATE billing.wallet SET limit_head = 0 WHERE wallet = $1', [at.wallet]);
    await test.sql('UPDATE billing.wallet SET held = 10, posted = 90 WHERE wallet = $1', [at.wallet]);
    await refusal('UPDATE billing.wallet SET held = 11 WHERE wallet = $1', [at.wallet]).toThrow(/oversold/);
    await test.sql('UPDATE billing.wallet SET limit_head = 1000, limit_safe = 0 WHERE wallet = $1', [
      at.wallet,
    ]);
    await refusal('UPDATE billing.wallet SET held = 11 WHERE wallet = $1', [at.wallet]).toThrow(/oversold/);
  });

  const KEPT = ['transfer', 'usage_record', 'unserved_request', 'credit', 'settlement_due'] as const;

  it.each([...KEPT, 'audit'] as const)('any change of a row of %s, even by the owner', async (table) => {
    const column = table === 'audit' ? 'actor' : 'wallet';
    await refusal(`UPDATE billing.${table} SET ${column} = 'x'`).toThrow(/never change/);
    await refusal(`DELETE FROM billing.${table}`).toThrow(/never change/);
    await refusal(`TRUNCATE billing.${table}`).toThrow(/never change/);
  });

  it.each(KEPT)('the service its rights to change a row of %s', async (table) => {
    const service = new Client({ connectionString: test.database.billingUrl });
    await service.connect();
    for (const change of [
      `UPDATE billing.${table} SET wallet = 'x'`,
      `DELETE FROM billing.${table}`,
      `TRUNCATE billing.${table}`,
      `ALTER TABLE billing.${table} DISABLE TRIGGER ALL`,
    ]) {
      await expect(service.query(change)).rejects.toThrow(/permission denied|must be owner/);
    }
    await service.end();
  });

  it('a second resolution of a hold', async () => {
    const { at, holdId } = await held();
    await release(at, holdId, 'void');
    await refusal(
      `INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
       VALUES ($1, $2, 1, 'expire', 'held', 'payer', 100, 'k')`,
      [at.wallet, holdId],
    ).toThrow(/duplicate key/);
  });

  it.each([
    ['a leg out of its place', `2, 'void', 'held', 'payer', 1, NULL`],
    ['a post that pays the provider', `1, 'post', 'held', 'provider', 1, 'p'`],
    ['a refund at the provider’s cost', `4, 'refund', 'provider', 'payer', 1, NULL`],
    ['nothing', `0, 'hold', 'payer', 'held', 0, NULL`],
    ['less than nothing', `0, 'hold', 'payer', 'held', -1, NULL`],
    ['a share for nobody', `2, 'share', 'payer', 'provider', 1, NULL`],
  ])('a transfer of %s', async (_, row) => {
    await refusal(
      `INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, provider, key_id)
       VALUES ('w', 'odd', ${row}, 'k')`,
    ).toThrow(/check/);
  });

  it.each([
    ['does not follow from tokens and prices', '54, 49'],
    ['is more than was held', '155, 139'],
    ['gives the provider more than there is', '55, 56'],
  ])('a receipt whose cost %s', async (_, costs) => {
    await refusal(
      `INSERT INTO billing.usage_record (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok,
         output_price_per_mtok, prompt_tokens, completion_tokens, token_source, attempts, finish_reason, held, cost,
         provider_share, platform_loss, late)
       VALUES ('w', 'odd', 'k', 'm', 'o', 'p', 0, 1000000, 5, ${costs.split(',')[0] === '155' ? 155 : 55}, 'provider', 1,
         'stop', 100, ${costs}, 0, false)`,
    ).toThrow(/check/);
  });
});

describe('faults', () => {
  const cutConnection = () =>
    test.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'billing-ledger' AND datname = $1`,
      [test.database.name],
    );

  const waitsForLock = () =>
    eventually(async () => {
      const waiting = await test.sql(
        `SELECT FROM pg_stat_activity WHERE application_name = 'billing-ledger' AND datname = $1 AND wait_event_type = 'Lock'`,
        [test.database.name],
      );
      return waiting.length > 0;
    });

  it('goes on over a new connection after the idle one was cut', async () => {
    const { at, holdId } = await held();
    await cutConnection();
    expect(await post(at, holdId, 5)).toEqual({ state: 'posted', charged: 5n });
  });

  it('a connection cut again and again under load: everything is applied once', async () => {
    const wallets = await Promise.all(Array.from({ length: 10 }, () => addWallet(test, 1_000_000n)));
    let cutting = true;
    // Between two cuts something gets through: on a slow machine nothing would, were they made by the clock.
    const cutter = (async () => {
      let cuts = 0;
      for (; cutting; cuts++) {
        const before = await commits(test.metrics);
        await cutConnection();
        await eventually(async () => !cutting || (await commits(test.metrics)) > before, {
          timeoutMs: 60_000,
          intervalMs: 5,
        });
      }
      return cuts;
    })();
    const pairs = async (at: TestWallet) => {
      for (let round = 0; round < 30; round++) {
        const request = admission(at, 100n);
        expect(await admit(request)).toMatchObject({ outcome: 'held' });
        expect(await post(at, request.holdId, 7)).toEqual({ state: 'posted', charged: 7n });
      }
    };
    await Promise.all(wallets.flatMap((at) => [pairs(at), pairs(at)])).finally(() => (cutting = false));
    expect(await cutter).toBeGreaterThan(1);
    for (const at of wallets) expect(await figures(at)).toEqual({ owed: String(60 * 7), held: '0' });
    const { rows } = await receipts(wallets);
    expect(rows).toBe(600);
  }, 120_000);

  it('what the full disk of the database does not take waits for room, and lapses are excused as after an outage', async () => {
    const { at, holdId } = await held();
    let connected = 0;
    test.ledger.onConnected(() => connected++);
    await test.sql(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$;
       CREATE TRIGGER full_disk BEFORE INSERT ON billing.transfer EXECUTE FUNCTION full_disk()`,
    );
    const unavailable = () => failures(test.metrics, 'unavailable');
    const before = await unavailable();
    const posted = post(at, holdId, 7);
    const late = test.ledger
      .admit(admission(at, 100n), performance.now() + 1_000)
      .catch((error: unknown) => error);
    try {
      expect(await late).toMatchObject({ reason: 'expired' });
      expect(await unavailable()).toBeGreaterThan(before);
    } finally {
      await test.sql('DROP TRIGGER full_disk ON billing.transfer; DROP FUNCTION full_disk');
    }
    expect(await posted).toEqual({ state: 'posted', charged: 7n });
    expect(connected).toBeGreaterThan(0);
    expect(await figures(at)).toEqual({ owed: '7', held: '0' });
  });

  it('a batch cut off while it waits for a lock is applied over the next connection', async () => {
    const at = await addWallet(test, 1_000n);
    const blocker = await holding(test.database, LOCK_WALLET, [at.wallet]);
    const requests = [1, 2, 3].map(() => admission(at, 100n));
    const replies = Promise.all(requests.map((request) => decided(() => admit(request))));
    await waitsForLock();
    await cutConnection();
    await blocker.done();
    expect((await replies).map(({ outcome }) => outcome)).toEqual(['held', 'held', 'held']);
    expect(await figures(at)).toEqual({ owed: '0', held: '300' });
  });

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'a key revoked while its wallet’s lock is waited for is not used, where %s is the database’s default',
    async (isolation) => {
      const setDefault = `ALTER DATABASE ${test.database.name} SET default_transaction_isolation = '${isolation}'`;
      await test.sql(setDefault);
      await cutConnection();
      const at = await addWallet(test, 1_000n);
      const revoker = await holding(test.database, LOCK_WALLET, [at.wallet]);
      await revoker.query('UPDATE billing.api_key SET revoked_at = now() WHERE key_id = $1', [at.keyId]);
      const reply = decided(() => admit(admission(at, 100n)));
      await waitsForLock();
      await revoker.done();
      await test.sql(`ALTER DATABASE ${test.database.name} RESET default_transaction_isolation`);
      expect(await reply).toEqual({ outcome: 'unknown_key' });
    },
  );

  it('a batch whose commit was never heard of is sent again and changes nothing more', async () => {
    const { proxy, url, close } = await LossyProxy.before(test.config.databaseUrl);
    const ledger = new LedgerService(
      Object.assign(new BillingConfig(), { databaseUrl: url }),
      createLogger('test', 'silent'),
      test.metrics,
    );
    const at = await addWallet(test, 1_000n);
    const requests = Array.from({ length: 7 }, () => admission(at, 100n));
    const holdIds = requests.map(({ holdId }) => holdId);
    await ledger.ensureConnected();

    proxy.loseNextAnswer();
    const admitted = await Promise.all(requests.map((request) => ledger.admit(request)));
    expect(admitted.map(({ outcome }) => outcome)).toEqual(requests.map(() => 'held'));
    expect(await figures(at)).toEqual({ owed: '0', held: '700' });

    await lapse(test, holdIds.slice(5));
    await ledger.resolve({ type: 'expire', wallet: at.wallet, holdId: String(holdIds[5]) });
    await ledger.resolve({ type: 'post', wallet: at.wallet, holdId: String(holdIds[6]), charge: charge(9) });
    const words = ['post', 'post', 'void', 'abandon', 'expire', 'post', 'abandon'] as const;
    proxy.loseNextAnswer();
    const resolved = await Promise.all(
      words.map((word, index) => {
        const target = { wallet: at.wallet, holdId: String(holdIds[index]) };
        if (word === 'post') return ledger.resolve({ type: word, ...target, charge: charge(11 + index) });
        return ledger.resolve({ type: word, ...target });
      }),
    );
    const states = ['posted', 'posted', 'voided', 'voided', 'open', 'late', 'refunded'];
    expect(resolved.map(({ state }) => state)).toEqual(states);
    expect(resolved.map(({ charged }) => charged)).toEqual([11n, 12n, 0n, 0n, 0n, 0n, 0n]);
    expect(await figures(at)).toEqual({ owed: '23', held: '100' });
    expect(proxy.lost).toBe(2);
    await ledger.beforeApplicationShutdown();
    close();
  });

  it('a wallet somebody else keeps locked fails its own operations, not its neighbours’', async () => {
    const [locked, free] = [await addWallet(test, 1_000n), await addWallet(test, 1_000n)];
    const inTime = (at: TestWallet) =>
      test.ledger.admit(admission(at, 10n), performance.now() + billingContracts.admitHold.timeoutMs);
    const blocker = await holding(test.database, LOCK_WALLET, [locked.wallet]);
    const first = [inTime(locked), inTime(free)];
    await waitingForLocks(test.database, 1);
    // They have to wait for the batch of those before, and meet the same lock.
    const all = await Promise.allSettled([...first, inTime(locked), inTime(free)]);
    await blocker.done();
    const stuck = { status: 'rejected', reason: { code: '55P03' } };
    const served = { status: 'fulfilled', value: { outcome: 'held' } };
    expect(all).toMatchObject([stuck, served, stuck, served]);
    expect(await figures(locked)).toEqual({ owed: '0', held: '0' });
  });

  it('works by index from the first batch on, in tables nobody has analysed', async () => {
    await withNumberedWallets(async (fresh) => {
      const { rows, operations } = await readWhile(fresh, () => pairs(fresh.ledger));
      // Some five with the plans pinned; thirteen and more, growing with the tables, without.
      expect(rows / operations).toBeLessThan(8);
    });
  });

  it('looks holds up one by one, though none was open when their table was last analysed', async () => {
    await withNumberedWallets(async (fresh) => {
      // Its pages are there, and nothing in them.
      await pairs(fresh.ledger);
      await fresh.sql('ANALYZE billing.open_hold');
      const standing = await holdInEach(fresh.ledger, numberedWallets(1_000));
      const { openRows, operations } = await readWhile(fresh, async () => {
        const paired = await pairs(fresh.ledger);
        const renewals = standing
          .slice(0, paired)
          .map((hold) => fresh.ledger.renew({ type: 'renew', ...hold }));
        await Promise.all(renewals);
        return paired + renewals.length;
      });
      // One at most; a plan made for an empty table reads all that are open, for each batch.
      expect(openRows / operations).toBeLessThan(2);
    });
  });
});

/** How many batches were committed. */
async function commits({ batchSize }: LedgerMetrics): Promise<number> {
  const { values } = await batchSize.get();
  return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0;
}

async function failures(metrics: LedgerMetrics, reason: string): Promise<number> {
  const { values } = await metrics.failures.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

const NUMBERED = 1_000;

/**
 * A ledger of {@link NUMBERED} wallets whose tables nobody analyses: not even by themselves, at a moment of its choosing. Somebody has a
 * snapshot all the while, as autovacuum has now and then for the system's own tables.
 */
async function withNumberedWallets(work: (fresh: TestLedger) => Promise<void>): Promise<void> {
  const fresh = await startTestLedger();
  const other = new Client({ connectionString: fresh.database.adminUrl });
  try {
    await fresh.database.keepUnanalysed();
    const wallet = `'0x' || lpad(to_hex(n), 40, '0')`;
    // A backend tells of what it read when it likes; told at once, this is not taken for what the ledger reads.
    await fresh.sql(
      `SELECT pg_stat_force_next_flush();
       INSERT INTO billing.wallet (wallet, limit_head, limit_safe)
       SELECT ${wallet}, 1000000, 1000000 FROM generate_series(1, ${NUMBERED}) n;
       SELECT count(billing.add_key(${wallet}, 'key_1', lpad(to_hex(n), 64, '0'), 'abcd', 'test', NULL, NULL))
       FROM generate_series(1, ${NUMBERED}) n`,
    );
    await other.connect();
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM billing.wallet LIMIT 1');
    await work(fresh);
  } finally {
    await other.end();
    await fresh.close();
  }
}

/** So many of the wallets, spread over all of them. */
function numberedWallets(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const number = ((index * 617) % NUMBERED) + 1;
    return {
      wallet: `0x${number.toString(16).padStart(40, '0')}`,
      keyHash: number.toString(16).padStart(64, '0'),
      keyId: 'key_1',
    };
  });
}

async function holdInEach(ledger: LedgerService, targets: readonly TestWallet[]) {
  return Promise.all(
    targets.map(async (target) => {
      const request = admission(target, 10n);
      await ledger.admit(request);
      return { wallet: target.wallet, holdId: request.holdId };
    }),
  );
}

/** Holds and posts once for a hundred of the wallets. @returns how many operations that took */
async function pairs(ledger: LedgerService): Promise<number> {
  const holds = await holdInEach(ledger, numberedWallets(100));
  await Promise.all(holds.map((hold) => ledger.resolve({ type: 'post', ...hold, charge: charge(5) })));
  return 2 * holds.length;
}

interface Reads {
  /** Rows that statements have read in the ledger's tables. */
  rows: number;
  /** Of them, open holds. */
  openRows: number;
  /** How often a key was looked up. */
  lookups: number;
}

/**
 * Does the work until PostgreSQL, which counts with some delay, has counted some of it.
 * @param work says how many operations it was
 */
async function readWhile(
  fresh: TestLedger,
  work: () => Promise<number>,
): Promise<{ rows: number; openRows: number; operations: number }> {
  const before = await reads(fresh);
  let operations = 0;
  const after = await eventually(async () => {
    for (let round = 0; round < 5; round++) operations += await work();
    const now = await reads(fresh);
    return now.lookups > before.lookups && now;
  });
  return { rows: after.rows - before.rows, openRows: after.openRows - before.openRows, operations };
}

async function reads({ sql }: TestLedger): Promise<Reads> {
  const [row] = await sql<Reads>(
    // Only what there is: of what is over, indexes hold the more the longer a snapshot stands.
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows,
            (sum(seq_tup_read + idx_tup_fetch) FILTER (WHERE relname = 'open_hold'))::int AS "openRows",
            (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'key_secret_pkey')::int AS lookups
     FROM pg_stat_user_tables WHERE schemaname = 'billing'`,
  );
  if (!row) throw new Error('no statistics');
  return row;
}

async function receipts(wallets: readonly TestWallet[]): Promise<{ rows: number }> {
  const [row] = await test.sql<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM billing.usage_record WHERE wallet = ANY ($1)',
    [wallets.map(({ wallet }) => wallet)],
  );
  return row ?? { rows: 0 };
}
