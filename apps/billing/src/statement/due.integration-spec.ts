import { createLogger } from '@svc/observability';
import { SettlementBench, mined } from '../settlement/settlement.for-spec';
import type { Buyer, Instance } from '../settlement/settlement.for-spec';
import { DueListStore } from './due-list.store';
import { DueService } from './due.service';
import { StatementDatabase } from './statement-database';

const USDC = 1_000_000n;
const ZERO_ROOT = `0x${'0'.repeat(64)}`;

let bench: SettlementBench;
let billing: Instance;
let database: StatementDatabase;
let dues: DueService;

beforeAll(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance();
  database = new StatementDatabase(bench.ledger.config, createLogger('test', 'silent'));
  dues = new DueService(new DueListStore(database));
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await bench.close();
});

/** Buys for so much each and has it collected in one batch. */
async function settled(buyer: Buyer, ...costs: number[]): Promise<string[]> {
  const requests: string[] = [];
  for (const cost of costs) requests.push(await bench.buy(buyer, cost));
  await bench.settle(billing);
  return requests;
}

describe('what settlement asked a wallet for', () => {
  it('is each batch with a line of its own, the newest first, and no other', async () => {
    const [buyer, other] = [
      await bench.buyer(billing.watcher, 10n * USDC),
      await bench.buyer(billing.watcher, 10n * USDC),
    ];
    expect(await dues.list({ wallet: buyer.wallet })).toEqual({ dues: [], next: null });
    await bench.buy(other, 70);
    await settled(buyer, 100, 20);
    await settled(other, 5);
    await settled(buyer, 3);

    const { dues: lines, next } = await dues.list({ wallet: buyer.wallet });
    expect(next).toBeNull();
    expect(lines).toEqual([
      {
        batch: expect.objectContaining({ state: 'settled', dues: 1, amount: '3', pulled: '3' }) as object,
        line: expect.objectContaining({
          previous: '120',
          cumulative: '123',
          pulled: '3',
          failed: false,
        }) as object,
        receipts: 1,
      },
      {
        batch: expect.objectContaining({ state: 'settled', dues: 2, amount: '190', pulled: '190' }) as object,
        line: expect.objectContaining({ previous: '0', cumulative: '120', pulled: '120' }) as object,
        receipts: 2,
      },
    ]);
    expect(lines[0]?.batch.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(BigInt(lines[0]?.batch.gasCost ?? 0)).toBeGreaterThan(0n);

    const first = await dues.list({ wallet: buyer.wallet, limit: 1 });
    expect(first).toEqual({ dues: [lines[0]], next: lines[0]?.batch.batchId });
    const second = await dues.list({ wallet: buyer.wallet, limit: 1, before: first.next ?? '' });
    expect(second).toEqual({ dues: [lines[1]], next: null });
    // A place that is another wallet's is no place here.
    const [foreign] = (await dues.list({ wallet: other.wallet, limit: 1 })).dues;
    expect(await dues.list({ wallet: buyer.wallet, before: foreign?.batch.batchId ?? '' })).toEqual({
      dues: [],
      next: null,
    });
  });

  it('shows the receipts that a line collects, by pages, to that wallet alone', async () => {
    const [buyer, other] = [
      await bench.buyer(billing.watcher, 10n * USDC),
      await bench.buyer(billing.watcher, 10n * USDC),
    ];
    await bench.buy(other, 9);
    const requests = await settled(buyer, 11, 12, 13);
    const [due] = (await dues.list({ wallet: buyer.wallet })).dues;
    const asked = { wallet: buyer.wallet, batchId: due?.batch.batchId ?? '' };
    const shown = await dues.show(asked);
    expect(shown).toMatchObject({ ...due, next: null });
    expect(shown.transactions).toEqual([
      expect.objectContaining({ txHash: due?.batch.txHash, broadcast: true }) as object,
    ]);
    expect(shown.collected.map(({ kind, id, amount, model }) => [kind, id, amount, model])).toEqual(
      requests.map((id, at) => ['usage', id, String(11 + at), 'svc/demo@1']),
    );

    const ids: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await dues.show({ ...asked, limit: 2, ...(cursor ? { cursor } : {}) });
      ids.push(...page.collected.map(({ id }) => id));
      cursor = page.next;
    } while (cursor);
    expect(ids).toEqual(requests);

    const stranger = await bench.buyer(billing.watcher, USDC);
    for (const nobody of [
      { ...asked, wallet: stranger.wallet },
      { ...asked, batchId: ZERO_ROOT },
    ]) {
      await expect(dues.show(nobody)).rejects.toMatchObject({
        payload: {
          code: 'invalid_request',
          message: 'The wallet has no line in such a batch.',
          param: 'batchId',
          status: 404,
        },
      });
    }
    await expect(dues.show({ ...asked, cursor: 'bm90IGE' })).rejects.toMatchObject({
      payload: { param: 'cursor' },
    });
  });

  it('says what could not be pulled, and when it is asked for again', async () => {
    const buyer = await bench.buyer(billing.watcher, USDC);
    await bench.buy(buyer, 400);
    await mined(buyer.token.approve(bench.contracts.settlement, 0n));
    await bench.settle(billing);
    const [failed] = (await dues.list({ wallet: buyer.wallet })).dues;
    expect(failed?.line).toMatchObject({ previous: '0', cumulative: '400', pulled: '0' });

    await mined(buyer.token.approve(bench.contracts.settlement, USDC));
    await bench.mine(2);
    await billing.watcher.refresh(buyer.wallet);
    await bench.settle(billing);
    await bench.settle(billing);
    const [again] = (await dues.list({ wallet: buyer.wallet })).dues;
    expect(again).toMatchObject({
      line: { previous: '400', cumulative: '400', pulled: '400', failed: false, payerRoot: ZERO_ROOT },
      receipts: 0,
    });
    expect(await dues.show({ wallet: buyer.wallet, batchId: again?.batch.batchId ?? '' })).toMatchObject({
      collected: [],
      next: null,
    });
  });
});
