import { merkleRoot, testUsdcAt } from '@svc/contracts-evm';
import { eventually } from '@svc/testing';
import { Rests } from '../database/rests';
import { SettlementBench, mined } from './settlement.for-spec';
import type { Instance } from './settlement.for-spec';

const USDC = 1_000_000n;

let bench: SettlementBench;
let billing: Instance;

beforeAll(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance();
});
afterAll(() => bench.close());
afterEach(async () => {
  expect(await billing.reconciliation.reconcile('full')).toEqual([]);
});

/** What the token says moved from a wallet to the treasury. */
async function transferred(wallet: string): Promise<bigint> {
  const token = testUsdcAt(bench.contracts.usdc, bench.provider);
  const logs = await token.queryFilter(token.getEvent('Transfer')(wallet, bench.treasury), 0);
  return logs.reduce((total, log) => total + BigInt(log.data), 0n);
}

/** Takes a step that makes a batch, and does something while that is stored. @returns what came of it, each time */
async function whileStored<Result>(act: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const storing = jest.spyOn(Rests.prototype, 'inPieces');
  storing.mockImplementation(async (receipts, _size, work) => {
    // Once its leaves are hashed, the batch is being stored.
    if (receipts.some((receipt) => receipt instanceof Object && 'leaf' in receipt)) results.push(await act());
    await work(receipts);
  });
  await bench.turn(billing);
  storing.mockRestore();
  return results;
}

describe('settlement', () => {
  it('collects exactly what the receipts of a wallet add up to', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    for (const cost of [100, 250_000, 7]) await bench.buy(buyer, cost);
    await bench.settle(billing);
    await bench.buy(buyer, 1_000);
    await bench.settle(billing);
    const [receipts] = await bench.sql<{ amount: string }>(
      'SELECT sum(amount)::text AS amount FROM billing.receipt WHERE wallet = $1 AND batch_id IS NOT NULL',
      [buyer.wallet],
    );
    expect(receipts).toEqual({ amount: '251107' });
    expect(await transferred(buyer.wallet)).toBe(251_107n);
    expect(await bench.figures(buyer.wallet)).toMatchObject({
      posted: '251107',
      settled: '251107',
      failed: false,
    });
    expect(await bench.batches()).toEqual(['settled 1 3 250107', 'settled 1 1 1000']);
    expect(billing.status.condition).toEqual({ state: 'idle' });
  });

  it('is paused at once while a batch is stored, however long that takes, and then does not send it', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 300);
    const before = await bench.batches();
    const [said] = await whileStored(() => billing.operation.pause('stop', 'somebody'));
    expect(said?.state).toBe('paused');
    expect(await bench.batches()).toEqual(before);
    await billing.operation.resume('looked at in a test', 'somebody');
    await bench.settle(billing);
    expect(await transferred(buyer.wallet)).toBe(300n);
  });

  it('is not said to be paused any more once it was resumed, nor for another reason while it is', async () => {
    await billing.operation.pause('stop', 'somebody');
    await bench.turn(billing);
    expect(await billing.operation.show()).toMatchObject({ state: 'paused', detail: 'by somebody' });
    const resumed = await billing.operation.resume('looked at in a test', 'another');
    expect(resumed).toMatchObject({ state: 'idle', detail: null, pauses: [] });
    expect(await billing.status.readiness.check()).toEqual({ up: true, detail: 'idle' });
    billing.status.set({ state: 'refused', detail: 'EnforcedPause' });
    const paused = await billing.operation.pause('stop', 'somebody');
    expect(paused).toMatchObject({ state: 'paused', detail: 'by somebody' });
    await billing.operation.resume('looked at in a test', 'another');
    await bench.turn(billing);
    expect(billing.status.condition).toEqual({ state: 'idle' });
  });

  it('can renew its lease while a batch is stored', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 300);
    // Now and then it is being renewed at that very moment.
    const [leases] = await whileStored(() =>
      eventually(() => bench.sql('SELECT signer FROM billing.signer_lease FOR NO KEY UPDATE NOWAIT')),
    );
    expect(leases).toContainEqual({ signer: bench.settler.address.toLowerCase() });
    await bench.settle(billing);
    expect(await transferred(buyer.wallet)).toBe(300n);
  });

  it('makes no batch when nobody owes anything', async () => {
    const before = await bench.batches();
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(before);
  });

  it('takes what was given back into account, in a later batch when it is more than what is new', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    const first = await bench.buy(buyer, 500);
    await bench.settle(billing);
    await bench.ledger.ledger.resolve({ type: 'abandon', wallet: buyer.wallet, holdId: first });
    await bench.buy(buyer, 200);
    const before = (await bench.batches()).length;
    await bench.settle(billing);
    expect(await bench.batches()).toHaveLength(before);
    await bench.buy(buyer, 450);
    await bench.settle(billing);
    expect(await transferred(buyer.wallet)).toBe(650n);
    expect((await bench.batches()).at(-1)).toBe('settled 1 3 150');
  });

  it('suspends a wallet that revoked its approval between hold and settlement, and lifts that when it is whole', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 4_000);
    await mined(buyer.token.approve(bench.contracts.settlement, 1_500n));
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '1500', failed: true });
    await expect(bench.buy(buyer, 10)).rejects.toThrow('suspended');
    await mined(buyer.token.approve(bench.contracts.settlement, 10n * USDC));
    await bench.mine(2);
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '4000', failed: false });
    await bench.buy(buyer, 10);
    await bench.settle(billing);
  });

  it('suspends a wallet that was drained; its suspension by an operator is another', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 3_000);
    await mined(buyer.token.transfer(bench.treasury, 10n * USDC - 1_000n));
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '1000', failed: true });
    await bench.sql('UPDATE billing.wallet SET suspended_at = now() WHERE wallet = $1', [buyer.wallet]);
    await mined(bench.token.faucet(buyer.wallet, 10n * USDC));
    await bench.mine(2);
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({
      settled: '3000',
      failed: false,
      suspended: true,
    });
  });

  it('asks a bounded number of wallets for a bounded number of receipts at a time, and comes to all of them', async () => {
    const small = await bench.instance({ settlementMaxDues: 2, settlementMaxReceipts: 4 });
    await billing.stop();
    billing = small;
    const buyers = [];
    for (let count = 0; count < 3; count++) buyers.push(await bench.buyer(billing.watcher, 10n * USDC));
    for (const buyer of buyers) for (let count = 0; count < 6; count++) await bench.buy(buyer, 100);
    const before = (await bench.batches()).length;
    for (let round = 0; round < 4; round++) await bench.settle(billing);
    expect((await bench.batches()).slice(before)).toEqual([
      'settled 2 8 800',
      'settled 2 6 600',
      'settled 2 4 400',
    ]);
    for (const { wallet } of buyers) expect(await transferred(wallet)).toBe(600n);
  });

  it('is not stopped by a credit larger than all charges of a due: it goes in parts, and all have their proof', async () => {
    await billing.stop();
    billing = await bench.instance({ settlementMaxReceipts: 4 });
    const [credited, other] = [
      await bench.buyer(billing.watcher, 10n * USDC),
      await bench.buyer(billing.watcher, 10n * USDC),
    ];
    for (let count = 0; count < 12; count++) await bench.buy(credited, 100);
    await bench.sql(`SELECT billing.credit_wallet($1, 'crd_1', 1100, 'sorry', 'ops')`, [credited.wallet]);
    await bench.buy(other, 5_000);
    let asked = 0n;
    for (let batch = 0; batch < 4; batch++) {
      await bench.settle(billing);
      expect(await transferred(other.wallet)).toBe(5_000n);
      const pulled = await transferred(credited.wallet);
      expect(pulled).toBeGreaterThanOrEqual(asked);
      expect(pulled).toBeLessThanOrEqual(100n);
      asked = pulled;
    }
    expect(asked).toBe(100n);
    const receipts = await bench.sql<{ id: string; amount: string; batched: boolean }>(
      `SELECT receipt_id AS id, amount::text, batch_id IS NOT NULL AS batched FROM billing.receipt
       WHERE wallet = $1 AND kind = 'credit' ORDER BY receipt_id`,
      [credited.wallet],
    );
    expect(receipts.map(({ id }) => id)).toEqual(['crd_1', 'crd_1.1', 'crd_1.2', 'crd_1.3']);
    expect(receipts.reduce((total, { amount }) => total + Number(amount), 0)).toBe(-1_100);
    expect(
      await bench.sql('SELECT FROM billing.receipt WHERE wallet = $1 AND batch_id IS NULL', [
        credited.wallet,
      ]),
    ).toEqual([]);
    // The leaves that were stored are those of the receipts as they are.
    const dues = await bench.sql<{ batch_id: string; payer_root: string }>(
      'SELECT batch_id, payer_root FROM billing.settlement_due WHERE wallet = $1',
      [credited.wallet],
    );
    for (const { batch_id, payer_root } of dues) {
      const leaves = await billing.receipts.ofDue(credited.wallet, batch_id);
      expect(merkleRoot(leaves.map(({ leaf }) => leaf))).toBe(payer_root);
      expect(await billing.receipts.treeOf(credited.wallet, batch_id)).toMatchObject(
        leaves.map(({ id, leaf }) => ({ id, leaf })),
      );
    }
  });

  it('collects what cost nothing with what did', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 0);
    const before = (await bench.batches()).length;
    await bench.settle(billing);
    expect(await bench.batches()).toHaveLength(before);
    await bench.buy(buyer, 0);
    await bench.buy(buyer, 7);
    await bench.settle(billing);
    expect((await bench.batches()).at(-1)).toBe('settled 1 3 7');
    expect(
      await bench.sql('SELECT FROM billing.receipt WHERE wallet = $1 AND batch_id IS NULL', [buyer.wallet]),
    ).toEqual([]);
  });

  it('has places for those that have waited longest beside those that owe most, and goes on at once', async () => {
    await billing.stop();
    const hour = { settlementIntervalMs: 3_600_000, unsettledCap: '1000' };
    billing = await bench.instance({ settlementMaxDues: 2, ...hour });
    const before = (await bench.batches()).length;
    for (const cost of [1, 400, 400, 600])
      await bench.buy(await bench.buyer(billing.watcher, 10n * USDC), cost);
    // The 600 are urgent. The others are asked because there is a place, or because there was none.
    await bench.settle(billing);
    await bench.settle(billing);
    expect((await bench.batches()).slice(before)).toEqual(['settled 2 2 601', 'settled 2 2 800']);
  });

  it('does not wait for its time when a wallet owes half of what it may', async () => {
    await billing.stop();
    billing = await bench.instance({ settlementIntervalMs: 3_600_000, unsettledCap: '1000' });
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 499);
    const before = (await bench.batches()).length;
    await bench.settle(billing);
    expect(await bench.batches()).toHaveLength(before);
    await bench.buy(buyer, 1);
    // It is looked for every two seconds; less often where the last look took long.
    await eventually(
      async () => {
        await bench.turn(billing);
        return (await bench.batches()).length > before;
      },
      { timeoutMs: 120_000 },
    );
    await bench.settle(billing);
    expect((await bench.batches()).at(-1)).toBe('settled 1 2 500');
  });
});
