import { untilReadable } from '../ledger/ledger.for-spec';
import { SettlementBench, mined } from '../settlement/settlement.for-spec';
import type { ChainChecks } from './chain-checks';
import type { Buyer, Instance } from '../settlement/settlement.for-spec';

const USDC = 1_000_000n;

let bench: SettlementBench;
let billing: Instance;
let buyer: Buyer;

beforeAll(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance();
  buyer = await bench.buyer(billing.watcher, 100n * USDC);
  await bench.buy(buyer, 40_000);
  await bench.settle(billing);
});
afterAll(() => bench.close());

/** Sets a figure of the buyer's, as somebody would who can get around what the database refuses. */
const tamper = (change: string) =>
  bench.sql(`BEGIN; SET LOCAL session_replication_role = replica;
             UPDATE billing.${change} WHERE wallet = '${buyer.wallet}'; COMMIT`);

/** Whatever the database refuses. */
const alter = (change: string) =>
  bench.sql(`BEGIN; SET LOCAL session_replication_role = replica; ${change}; COMMIT`);

const WALLET_SUMS = 'a wallet is the sum of its transfers: posted, credited, held, settled';
const HELD_BY_KEY = 'held by a key is the sum of its open holds';

async function rulesBroken(kind: 'incremental' | 'full'): Promise<string[]> {
  return (await billing.reconciliation.reconcile(kind)).map(({ rule }) => rule);
}

async function resume(): Promise<void> {
  await billing.operation.resume('looked at in a test', 'tester');
}

describe('reconciliation', () => {
  it('finds nothing while batches are on their way, and at any block', async () => {
    expect(await rulesBroken('full')).toEqual([]);
    await bench.buy(buyer, 500);
    expect(await rulesBroken('incremental')).toEqual([]);
    await bench.turn(billing);
    expect(await rulesBroken('full')).toEqual([]);
    // On chain, and not read yet.
    await bench.mine(1);
    expect(await rulesBroken('full')).toEqual([]);
    await bench.mine(3);
    expect(await rulesBroken('full')).toEqual([]);
    await bench.turn(billing, 2);
    expect(await rulesBroken('full')).toEqual([]);
  });

  it.each([
    ['held by a wallet is the sum of its open holds', WALLET_SUMS, 'wallet', 'held'],
    [HELD_BY_KEY, HELD_BY_KEY, 'key_budget', 'held'],
    ['all that is owed is the sum of all receipts', WALLET_SUMS, 'wallet', 'posted'],
    ['settled in the ledger is pulled on chain, at the safe block', WALLET_SUMS, 'wallet', 'settled_safe'],
  ])('sees that it is not so: %s', async (rule, inFull, table, column) => {
    await tamper(`${table} SET ${column} = ${column} + 1`);
    expect(await rulesBroken('incremental')).toContain(rule);
    expect(await rulesBroken('full')).toContain(inFull);
    await tamper(`${table} SET ${column} = ${column} - 1`);
    await resume();
    expect(await rulesBroken('full')).toEqual([]);
  });

  it.each([
    ['no more is asked for than was charged', 'incremental', 'settlement_due', 'cumulative', 1_000_000],
    ['what a due adds is the sum of its receipts', 'incremental', 'settlement_due', 'cumulative', -1],
    ['what a due adds is the sum of its receipts', 'full', 'receipt', 'amount', 1],
    ['every usage record has one receipt of its cost', 'full', 'receipt', 'amount', 1],
    ['what a wallet owes is the sum of its receipts', 'full', 'receipt', 'amount', 1],
    ['a batch is the sum of its dues', 'full', 'settlement_batch', 'amount', 1],
    ['a batch is the sum of its dues', 'full', 'settlement_batch', 'dues', 1],
  ] as const)('sees that it is not so: %s (%s; %s.%s)', async (rule, kind, table, column, by) => {
    await alter(`UPDATE billing.${table} SET ${column} = ${column} + ${by}`);
    expect(await rulesBroken(kind)).toContain(rule);
    await alter(`UPDATE billing.${table} SET ${column} = ${column} - ${by}`);
    await resume();
    expect(await rulesBroken('full')).toEqual([]);
  });

  it.each([
    ['paid to a provider is the sum of its payouts', 'full', 'provider_paid', 'paid_safe'],
    ['paid in the ledger is paid on chain, at the safe block', 'incremental', 'provider_paid', 'paid_safe'],
    [
      'released to a provider are its shares of what payers have paid',
      'full',
      'provider_released',
      'released',
    ],
  ] as const)('sees that it is not so: %s (%s)', async (rule, kind, table, column) => {
    const stranger = `0x${'5'.repeat(40)}`;
    await alter(`INSERT INTO billing.${table} (provider, ${column}) VALUES ('${stranger}', 1);
                 INSERT INTO billing.payout_position (safe_hash) SELECT safe_hash FROM billing.chain_position`);
    expect(await rulesBroken(kind)).toContain(rule);
    await alter(
      `DELETE FROM billing.${table} WHERE provider = '${stranger}'; DELETE FROM billing.payout_position`,
    );
    await resume();
    expect(await rulesBroken('full')).toEqual([]);
  });

  const turned = (from: string, to: string) => `'0x' || translate(substr(batch_id, 3), '${from}', '${to}')`;
  const digits = '0123456789abcdef';
  const digitsOn = '123456789abcdef0';

  it.each([
    ['every post has one usage record', 'usage_record', 'hold_id'],
    ['every post has one usage record', 'transfer', 'reference'],
    ['every usage record has one receipt of its cost', 'receipt', 'receipt_id'],
    [
      'a batch is the sum of its dues',
      'settlement_due',
      'batch_id',
      turned(digits, digitsOn),
      turned(digitsOn, digits),
    ],
  ])(
    'sees that it is not so: %s, where nothing stands in %s under the right %s',
    async (rule, table, column, change = `${column} || 'x'`, undo = `rtrim(${column}, 'x')`) => {
      await alter(`UPDATE billing.${table} SET ${column} = ${change}`);
      expect(await rulesBroken('full')).toContain(rule);
      await alter(`UPDATE billing.${table} SET ${column} = ${undo}`);
      await resume();
      expect(await rulesBroken('full')).toEqual([]);
    },
  );

  it('sees a receipt that is in a batch of which no due is its wallet’s', async () => {
    await bench.settle(billing);
    await bench.buy(buyer, 300);
    await untilReadable(bench);
    await billing.projection.project('receipts');
    const stray = `0x${'f'.repeat(64)}`;
    await alter(`UPDATE billing.receipt SET batch_id = '${stray}' WHERE batch_id IS NULL`);
    expect(await billing.reconciliation.reconcile('full')).toEqual([
      {
        rule: 'what a due adds is the sum of its receipts',
        subject: `${stray} ${buyer.wallet}`,
        expected: 'none',
        actual: '300',
      },
    ]);
    await alter(`UPDATE billing.receipt SET batch_id = NULL WHERE batch_id = '${stray}'`);
    await resume();
    expect(await rulesBroken('full')).toEqual([]);
  });

  it('pauses settlement, says what differs, and goes on when somebody says so', async () => {
    await tamper('wallet SET posted = posted + 7');
    await billing.reconciliation.reconcile('incremental');
    await billing.reconciliation.reconcile('incremental');
    await bench.buy(buyer, 900);
    const before = await bench.batches();
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(before);
    expect(billing.status.condition).toEqual({ state: 'paused', detail: 'by reconciliation' });
    expect(await billing.status.readiness.check()).toEqual({
      up: true,
      detail: expect.stringMatching(
        /^paused by reconciliation: .*all that is owed is the sum of all receipts: 4/,
      ) as string,
    });
    const view = await billing.operation.show();
    expect(view.pauses).toHaveLength(1);
    expect(view.pauses[0]?.differences[0]).toMatchObject({
      rule: 'all that is owed is the sum of all receipts',
    });

    await tamper('wallet SET posted = posted - 7');
    // It does not mend itself.
    await billing.reconciliation.reconcile('incremental');
    expect((await billing.operation.show()).state).toBe('paused');
    await resume();
    await bench.settle(billing);
    expect(await bench.batches()).toHaveLength(before.length + 1);
    const trail = await bench.sql(
      `SELECT actor, resumed_by, resume_reason FROM billing.settlement_pause ORDER BY pause_id DESC LIMIT 1`,
    );
    expect(trail).toEqual([
      { actor: 'reconciliation', resumed_by: 'tester', resume_reason: 'looked at in a test' },
    ]);
  });

  it('is paused by operators too, and shows batches by page', async () => {
    expect((await billing.operation.pause('maintenance', 'somebody')).state).toBe('paused');
    await bench.buy(buyer, 100);
    const before = await bench.batches();
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(before);
    await resume();
    await bench.settle(billing);
    const first = await billing.operation.list(2);
    expect(first.batches).toHaveLength(2);
    expect(first.batches[0]).toMatchObject({
      state: 'settled',
      dues: 1,
      receipts: 1,
      amount: '100',
      pulled: '100',
    });
    const second = await billing.operation.list(2, first.next ?? undefined);
    expect(second.batches.map(({ batchId }) => batchId)).not.toContain(first.batches[1]?.batchId);
    const batch = await billing.operation.batch(first.batches[0]?.batchId ?? '');
    expect(batch.lines).toMatchObject([{ wallet: buyer.wallet, pulled: '100', failed: false }]);
    expect(batch.transactions).toHaveLength(1);
    expect(batch.gasCost).toMatch(/^\d+$/);
  });

  it('pauses for what it found, though the chain could not be asked after that', async () => {
    await tamper('wallet SET posted = posted + 1');
    const { chain } = billing.reconciliation as unknown as { chain: ChainChecks };
    const totals = jest.spyOn(chain, 'totals').mockRejectedValue(new Error('timeout'));
    await expect(billing.reconciliation.reconcile('incremental')).rejects.toThrow('timeout');
    totals.mockRestore();
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('paused');
    await tamper('wallet SET posted = posted - 1');
    await resume();
  });

  it('sees that the chain pulled more than anybody was asked for', async () => {
    const contract = bench.contract.connect(bench.settler) as typeof bench.contract;
    const stray = `0x${'e'.repeat(64)}`;
    await mined(contract.settle(stray, [{ payer: buyer.wallet, cumulative: 90_000_000n, root: stray }]));
    await bench.mine(2);
    await billing.watcher.poll();
    expect(await rulesBroken('incremental')).toEqual(['no more is pulled than was charged and asked for']);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('paused');
  });
});
