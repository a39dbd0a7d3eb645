import { randomBytes, randomInt } from 'node:crypto';
import { withinOneDay } from '@svc/testing';
import fc from 'fast-check';
import { charge, lapse, newHoldId, startTestLedger } from './ledger.for-spec';
import type { TestLedger } from './ledger.for-spec';
import type { Operation, OperationResult } from './operation';
import { CLAIMS, HOLDS, KEYS, WALLETS, randomSteps } from './random-steps.for-spec';
import type { RandomEvent, RandomOperation, RandomStep } from './random-steps.for-spec';
import { ReferenceModel, headroomOf } from './reference-model.for-spec';

/** Overridable, so that a failing seed can be run again and a nightly run can do more. */
const SEQUENCES = Number(process.env.LEDGER_SEQUENCES ?? 2_000);
const SEED = Number(process.env.LEDGER_SEED ?? randomInt(2 ** 31));

const LIMIT = 150n;
/** The cap on what is owed and held beyond what was settled. */
const UNSETTLED_CAP = 130n;
const MAX_STEPS = 50;

/** One sequence: its own wallets, keys and holds in the shared database, and the model beside it. */
class Run {
  readonly model = new ReferenceModel(UNSETTLED_CAP);
  readonly wallets = Array.from({ length: WALLETS }, () => `0x${randomBytes(20).toString('hex')}`);
  private readonly keyHashes = Array.from({ length: KEYS }, () => randomBytes(32).toString('hex'));
  private readonly claimHashes = Array.from({ length: CLAIMS }, () => randomBytes(32).toString('hex'));
  private readonly holdIds = Array.from({ length: HOLDS }, newHoldId);
  /** Every transfer and receipt seen so far, as text: none may ever look different. */
  private readonly seen = new Map<string, string>();

  constructor(private readonly test: TestLedger) {}

  async prepare(): Promise<void> {
    const { sql } = this.test;
    await sql(
      `INSERT INTO billing.wallet (wallet, limit_head, limit_safe) SELECT w, $2, $2 FROM unnest($1::text[]) w`,
      [this.wallets, String(LIMIT)],
    );
    // The last key's hash is stored nowhere.
    const keys = this.keyHashes.slice(0, -1).map((keyHash, index) => ({
      keyHash,
      keyId: `key_${index}`,
      wallet: this.wallet(Math.floor(index / 2)),
    }));
    await sql(
      `SELECT billing.add_key(w, k, h, 'abcd', 'test', NULL, 'monthly')
       FROM unnest($1::text[], $2::text[], $3::text[]) AS u (w, k, h)`,
      [keys.map(({ wallet }) => wallet), keys.map(({ keyId }) => keyId), keys.map(({ keyHash }) => keyHash)],
    );
    for (const wallet of this.wallets) {
      const none = { settledHead: 0n, settledSafe: 0n, posted: 0n, credited: 0n, held: 0n, suspended: false };
      this.model.wallets.set(wallet, { limitHead: LIMIT, limitSafe: LIMIT, ...none });
    }
    const unused = { revoked: false, cap: null, spent: 0n, held: 0n, stale: false, period: 0 };
    for (const { keyHash, ...key } of keys) this.model.keys.set(keyHash, { ...key, ...unused });
  }

  async step(step: RandomStep): Promise<void> {
    if ('event' in step) return this.happen(step.event);
    const operations = step.operations.map((operation) => this.operationOf(operation));
    const results = await Promise.all(operations.map((operation) => this.submit(operation)));
    const expected = new Map<Operation, OperationResult>();
    const batches = inBatches(operations);
    for (const operation of batches.flatMap((batch) => inOrder(batch, this.model))) {
      const holds = this.model.holds.size;
      expected.set(operation, this.apply(operation));
      if (operation.type === 'admit' && this.model.holds.size > holds)
        this.checkNotOversold(operation.keyHash);
    }
    expect(results).toEqual(operations.map((operation) => expected.get(operation)));
  }

  /** Invariants 1 to 5, 7 and 13 from the database's rows, and the model against them. */
  async check(): Promise<void> {
    const [row] = await this.test.sql<{ state: DatabaseState }>(STATE, [this.wallets]);
    const { wallets, keys, claims, accounts, holds, open, overposted, misreported, rows } = (
      row as { state: DatabaseState }
    ).state;
    for (const [wallet, expected] of this.model.wallets) {
      const { limitHead, limitSafe, settledHead, settledSafe, posted, credited, held } = expected;
      expect(wallets[wallet]).toEqual(
        [limitHead, limitSafe, settledHead, settledSafe, posted, credited, held].map(Number),
      );
      // 2: what the wallet holds is what its open holds add up to.
      expect(open[wallet] ?? 0).toBe(Number(held));
    }
    // 2 and 8 for keys: held is what the open holds add up to, spent what was charged.
    for (const { wallet, keyId, held, spent } of this.model.keys.values()) {
      expect(keys).toContainEqual({
        wallet,
        keyId,
        held: Number(held),
        spent: Number(spent),
        open: Number(held),
      });
    }
    // 6: an idempotency key stands for one request, or for none.
    expect(claims).toHaveLength(this.model.claims.size);
    for (const { keyHash, holdId, completed } of this.model.claims.values()) {
      expect(claims).toContainEqual({ keyHash, holdId, completed });
    }
    // 1: every account is what the model says, and they add up to nothing.
    const balances = Object.fromEntries(
      Object.entries(this.model.accounts).map(([name, sum]) => [name, Number(sum)]),
    );
    expect({ ...NO_BALANCE, ...accounts }).toEqual(balances);
    expect(Object.values(accounts).reduce((sum, balance) => sum + balance, 0)).toBe(0);
    // 4, and 14 as far as the receipt goes.
    expect(overposted).toBe(0);
    // Whoever was not served finds that, once, and nobody else does.
    expect(misreported).toBe(0);
    for (const [id, hold] of this.model.holds) {
      const [wallet, holdId] = id.split('/');
      const found = holds.find((candidate) => candidate.wallet === wallet && candidate.hold === holdId);
      // 5: resolved once or open; 7: the payer pays for nothing but a post that stands.
      expect(found).toMatchObject({
        resolutions: hold.state === 'open' ? 0 : 1,
        open: hold.state === 'open',
        charged: Number(hold.charged),
      });
    }
    expect(holds).toHaveLength(this.model.holds.size);
    this.checkUnchanged(rows);
  }

  /** 13: rows are added, never changed and never gone. */
  private checkUnchanged(rows: DatabaseState['rows']): void {
    const now = new Map(rows.map(({ id, text }) => [id, text]));
    for (const [id, text] of this.seen) expect(now.get(id)).toBe(text);
    for (const [id, text] of now) this.seen.set(id, text);
  }

  /** 3: right after an admission the wallet's headroom is not negative. */
  private checkNotOversold(keyHash: string): void {
    const wallet = this.model.wallets.get(this.model.keys.get(keyHash)?.wallet ?? '');
    expect(wallet && headroomOf(wallet) >= 0n).toBe(true);
  }

  private apply(operation: Operation): OperationResult {
    if (operation.type === 'renew') return this.model.renew(operation);
    return operation.type === 'admit' ? this.model.admit(operation) : this.model.resolve(operation);
  }

  private submit(operation: Operation): Promise<OperationResult> {
    const { ledger } = this.test;
    if (operation.type === 'admit') return ledger.admit(operation);
    if (operation.type === 'renew') return ledger.renew(operation);
    return ledger.resolve(operation);
  }

  private async happen(event: RandomEvent): Promise<void> {
    const { sql } = this.test;
    if (event.type === 'cut') return this.cut();
    if (event.type === 'lapse') {
      const holdId = String(this.holdIds[event.hold]);
      for (const wallet of this.wallets) {
        const hold = this.model.holds.get(`${wallet}/${holdId}`);
        if (hold) hold.lapsed = true;
      }
      return lapse(this.test, [holdId]);
    }
    if (event.type === 'revoke') {
      const keyHash = String(this.keyHashes[event.key]);
      const key = this.model.keys.get(keyHash);
      if (key) key.revoked = true;
      await sql(
        `UPDATE billing.api_key k SET revoked_at = now() FROM billing.key_secret s
         WHERE s.key_hash = $1 AND k.wallet = s.wallet AND k.key_id = s.key_id`,
        [keyHash],
      );
      return;
    }
    if (event.type === 'budget' || event.type === 'period') return this.changeBudget(event);
    const wallet = this.wallet(event.wallet);
    if (event.type === 'credit' || event.type === 'refund') return this.give(wallet, event);
    const state = this.model.wallets.get(wallet);
    if (!state) throw new Error('no such wallet');
    if (event.type === 'limits') {
      const { limitHead, limitSafe, settledHead, settledSafe } = event;
      Object.assign(state, { limitHead: BigInt(limitHead), limitSafe: BigInt(limitSafe) });
      this.model.settle(wallet, BigInt(settledHead), BigInt(settledSafe));
      // The allowance is what limits at the head, the balance at the safe depth.
      await sql(
        `SELECT billing.write_limits(ARRAY[$1], ARRAY[$2::numeric + 7], ARRAY[$2::numeric], ARRAY[$4::numeric],
                                     ARRAY[$3::numeric], ARRAY[$3::numeric + 7], ARRAY[$5::numeric])`,
        [wallet, limitHead, limitSafe, settledHead, settledSafe],
      );
      return;
    }
    state.suspended = event.type === 'suspend';
    await sql(`UPDATE billing.wallet SET suspended_at = $2 WHERE wallet = $1`, [
      wallet,
      state.suspended ? new Date() : null,
    ]);
  }

  private async give(
    wallet: string,
    event: Extract<RandomEvent, { type: 'credit' | 'refund' }>,
  ): Promise<void> {
    const { sql } = this.test;
    if (event.type === 'credit') {
      this.model.credit(wallet, BigInt(event.amount));
      await sql(`SELECT billing.credit_wallet($1, $2, $3, 'goodwill', 'spec')`, [
        wallet,
        newHoldId(),
        event.amount,
      ]);
      return;
    }
    const holdId = String(this.holdIds[event.hold]);
    const refunded = `SELECT billing.refund($1, $2, 'goodwill', 'spec') AS state`;
    expect(await sql(refunded, [wallet, holdId])).toEqual([{ state: this.model.refund({ wallet, holdId }) }]);
  }

  private async changeBudget(event: Extract<RandomEvent, { type: 'budget' | 'period' }>): Promise<void> {
    const key = this.model.keys.get(String(this.keyHashes[event.key]));
    if (!key) throw new Error('no such key');
    const at = [key.wallet, key.keyId];
    if (event.type === 'budget') {
      key.cap = event.cap === null ? null : BigInt(event.cap);
      await this.test.sql(`UPDATE billing.key_budget SET cap = $3 WHERE wallet = $1 AND key_id = $2`, [
        ...at,
        event.cap,
      ]);
      return;
    }
    key.stale = true;
    // What time does: the period lies a month back, and with it what was charged in it.
    await this.test.sql(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      UPDATE billing.key_budget SET period_start = period_start - interval '1 month'
      WHERE wallet = '${key.wallet}' AND key_id = '${key.keyId}';
      UPDATE billing.usage_record SET created_at = created_at - interval '1 month'
      WHERE wallet = '${key.wallet}' AND key_id = '${key.keyId}';
      COMMIT`);
    // Only here may a record be another than it was.
    for (const [id, text] of this.seen) if (text.includes(`,${key.keyId},`)) this.seen.delete(id);
  }

  private async cut(): Promise<void> {
    await this.test.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'billing-ledger' AND datname = $1`,
      [this.test.database.name],
    );
  }

  private operationOf(random: RandomOperation): Operation {
    const holdId = String(this.holdIds[random.hold]);
    if (random.type === 'admit') {
      const keyHash = String(this.keyHashes[random.key]);
      const admission = {
        type: 'admit',
        holdId,
        keyHash,
        amount: BigInt(random.amount),
        model: 'svc/demo@1',
      } as const;
      if (!random.claim) return admission;
      const fingerprint = String(random.claim.request).repeat(64);
      const claim = String(this.claimHashes[random.claim.key]);
      return { ...admission, idempotency: { keyHash: claim, fingerprint } };
    }
    const wallet = this.wallet(random.wallet);
    if (random.type !== 'post') return { type: random.type, wallet, holdId };
    return { type: 'post', wallet, holdId, charge: charge(random.cost) };
  }

  private wallet(index: number): string {
    return String(this.wallets[index]);
  }
}

/** What comes at the same moment, as it is applied: of each hold one operation in a batch. */
function inBatches(operations: readonly Operation[]): Operation[][] {
  const batches: Operation[][] = [];
  const turns = new Map<string, number>();
  for (const operation of operations) {
    const turn = turns.get(operation.holdId) ?? 0;
    turns.set(operation.holdId, turn + 1);
    (batches[turn] ??= []).push(operation);
  }
  return batches;
}

/** The order in which a batch applies: renewals, resolutions, then admissions, wallet by wallet. */
function inOrder(operations: readonly Operation[], model: ReferenceModel): Operation[] {
  const admissions = operations.filter((operation) => operation.type === 'admit');
  const walletOf = (keyHash: string) => model.keys.get(keyHash)?.wallet ?? '';
  return [
    ...operations.filter(({ type }) => type === 'renew'),
    ...operations.filter(({ type }) => type !== 'renew' && type !== 'admit'),
    ...[...admissions].sort((a, b) => (walletOf(a.keyHash) < walletOf(b.keyHash) ? -1 : 1)),
  ];
}

const NO_BALANCE = { payer: 0, held: 0, provider: 0, platform_fee: 0, platform_loss: 0, settled: 0 };

interface DatabaseState {
  wallets: Record<string, number[]>;
  open: Record<string, number>;
  keys: { wallet: string; keyId: string; held: number; spent: number; open: number }[];
  claims: { keyHash: string; holdId: string; completed: boolean }[];
  accounts: Record<string, number>;
  holds: { wallet: string; hold: string; resolutions: number; open: boolean; charged: number }[];
  overposted: number;
  misreported: number;
  rows: { id: string; text: string }[];
}

/** Everything about some wallets in one snapshot. */
const STATE = `
  WITH t AS (SELECT * FROM billing.transfer WHERE wallet = ANY ($1)),
       o AS (SELECT * FROM billing.open_hold WHERE wallet = ANY ($1)),
       u AS (SELECT * FROM billing.usage_record WHERE wallet = ANY ($1)),
       f AS (SELECT * FROM billing.unserved_request WHERE wallet = ANY ($1))
  SELECT jsonb_build_object(
    'wallets', (SELECT jsonb_object_agg(wallet, jsonb_build_array(limit_head, limit_safe, settled_head, settled_safe, posted, credited, held))
                FROM billing.wallet WHERE wallet = ANY ($1)),
    'open', coalesce((SELECT jsonb_object_agg(wallet, amount) FROM (SELECT wallet, sum(amount) AS amount FROM o GROUP BY wallet) s), '{}'),
    'keys', (SELECT jsonb_agg(jsonb_build_object('wallet', b.wallet, 'keyId', b.key_id, 'held', b.held, 'spent', b.spent,
               'open', (SELECT coalesce(sum(amount), 0) FROM o WHERE o.wallet = b.wallet AND o.key_id = b.key_id)))
             FROM billing.key_budget b WHERE b.wallet = ANY ($1)),
    'claims', (SELECT coalesce(jsonb_agg(jsonb_build_object('keyHash', i.idempotency_hash, 'holdId', i.hold_id,
                 'completed', i.completed_at IS NOT NULL)), '[]') FROM billing.idempotency i WHERE i.wallet = ANY ($1)),
    'accounts', coalesce((SELECT jsonb_object_agg(account, balance) FROM (
        SELECT account, sum(amount) AS balance FROM (
          SELECT debit_account AS account, amount FROM t UNION ALL SELECT credit_account, -amount FROM t) sides
        GROUP BY account) s), '{}'),
    'holds', coalesce((SELECT jsonb_agg(to_jsonb(h)) FROM (
        SELECT t.wallet, t.reference AS hold,
               count(*) FILTER (WHERE kind IN ('post', 'void', 'expire')) AS resolutions,
               EXISTS (SELECT FROM o WHERE o.wallet = t.wallet AND o.hold_id = t.reference) AS open,
               coalesce(sum(CASE WHEN kind IN ('share', 'fee') THEN amount WHEN kind = 'refund' THEN -amount END), 0) AS charged
        FROM t WHERE kind NOT IN ('settle', 'unsettle', 'credit') GROUP BY t.wallet, t.reference) h), '[]'),
    'overposted', (SELECT count(*) FROM u JOIN t ON t.wallet = u.wallet AND t.reference = u.hold_id AND t.kind = 'hold'
                   WHERE u.cost > t.amount OR u.held <> t.amount),
    'misreported', (SELECT count(*) FROM (SELECT * FROM t WHERE kind IN ('void', 'expire')) freed
                    FULL JOIN f ON f.wallet = freed.wallet AND f.hold_id = freed.reference AND f.held = freed.amount AND f.key_id = freed.key_id
                    WHERE f.wallet IS NULL OR freed.wallet IS NULL),
    'rows', coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'text', text)) FROM (
        SELECT wallet || reference || leg AS id, t::text AS text FROM t
        UNION ALL SELECT 'u' || wallet || hold_id, u::text FROM u
        UNION ALL SELECT 'f' || wallet || hold_id, f::text FROM f) r), '[]')
  ) AS state`;

describe('the ledger against its reference model', () => {
  let test: TestLedger;

  beforeAll(async () => {
    test = await startTestLedger({ unsettledCap: String(UNSETTLED_CAP) });
  });
  afterAll(() => test.close());

  it(
    `agrees with it over ${SEQUENCES} random sequences (LEDGER_SEED=${SEED})`,
    async () => {
      const property = fc.asyncProperty(randomSteps(MAX_STEPS), (steps) =>
        // Of months, one of which may end.
        withinOneDay(async () => {
          const run = new Run(test);
          await run.prepare();
          for (const step of steps) {
            await run.step(step);
            await run.check();
          }
        }),
      );
      await fc.assert(property, { seed: SEED, numRuns: SEQUENCES });
    },
    600_000 + 200 * SEQUENCES,
  );
});
