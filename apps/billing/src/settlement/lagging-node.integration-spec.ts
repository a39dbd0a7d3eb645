import { ChainProxy } from '@svc/testing';
import { untilReadable } from '../ledger/ledger.for-spec';
import { CONFIRMATIONS, SettlementBench } from './settlement.for-spec';
import type { Buyer, Instance } from './settlement.for-spec';

const USDC = 1_000_000n;
/** More often than a lower head is told before it is looked into. */
const MANY_POLLS = 8;

let bench: SettlementBench;
let billing: Instance;
let proxy: ChainProxy;
let buyer: Buyer;

beforeEach(async () => {
  bench = await SettlementBench.start();
  proxy = await ChainProxy.before(bench.anvil.url);
  billing = await bench.instance({ chainRpcUrl: proxy.url });
  buyer = await bench.buyer(billing.watcher, 10n * USDC);
});
afterEach(async () => {
  proxy.close();
  await bench.close();
});

/** What is known of the chain, and what follows from it. */
const known = () =>
  bench.sql<Record<'head' | 'blocks' | 'events' | 'batches' | 'settled', string | null>>(
    `SELECT (SELECT head_number::text || ' ' || head_hash FROM billing.chain_position) AS head,
            (SELECT min(number) || ' to ' || max(number) FROM billing.chain_block) AS blocks,
            (SELECT string_agg(kind || ' ' || amount || ' ' || block_hash, ', ' ORDER BY block_number, log_index)
             FROM billing.settlement_event) AS events,
            (SELECT string_agg(state::text, ', ') FROM billing.settlement_batch) AS batches,
            (SELECT string_agg(settled_safe::text, ', ') FROM billing.wallet) AS settled`,
  );

const kinds = async () =>
  (
    await bench.sql<{ kind: string }>(
      'SELECT kind FROM billing.settlement_event ORDER BY block_number, log_index',
    )
  ).map(({ kind }) => kind);

async function polls(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await billing.watcher.poll();
}

describe('a chain server that lags', () => {
  it.each([5, 300])('by %i blocks is not believed: nothing is undone, and it is said', async (blocks) => {
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    const laggard = await bench.laggard();
    await bench.mine(blocks);
    await bench.buy(buyer, 50);
    await bench.settle(billing);
    const before = await known();
    const head = await bench.provider.getBlockNumber();

    proxy.answerFrom(laggard.url);
    await polls(MANY_POLLS);
    await billing.watcher.refresh(buyer.wallet);
    expect(await known()).toEqual(before);
    expect(await billing.watcher.readiness.check()).toEqual({
      up: true,
      detail: `the server lags; limits are those of block ${head}`,
    });

    proxy.answerFrom(bench.anvil.url);
    await bench.settle(billing);
    expect(await billing.watcher.readiness.check()).toEqual({
      up: true,
      detail: `block ${head + CONFIRMATIONS}`,
    });
    expect(await bench.batches()).toEqual(['settled 1 1 700', 'settled 1 1 50']);
    expect(await billing.reconciliation.reconcile('full')).toEqual([]);
  });

  it('loses no events when it is the one that is asked for them', async () => {
    await bench.turn(billing);
    await bench.buy(buyer, 700);
    await bench.mine(1);
    const laggard = await bench.laggard();
    await untilReadable(bench);
    await billing.settlement.tick();
    await bench.mine(CONFIRMATIONS);
    const before = await known();

    proxy.answerSomeFrom(laggard.url, 'eth_getLogs');
    await polls(2);
    expect(await known()).toEqual(before);

    proxy.answerFrom(bench.anvil.url);
    await bench.settle(billing);
    expect(await kinds()).toEqual(['pulled', 'batch_settled']);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await billing.reconciliation.reconcile('full')).toEqual([]);
  });
});

describe('a chain that was reset', () => {
  it('is recognised by its other blocks, however short it is', async () => {
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    const reset = await bench.resetChain();
    proxy.answerFrom(reset.url);
    await polls(MANY_POLLS);
    const [now] = await known();
    const newest = await blockOf(reset.url);
    expect(now).toMatchObject({ head: newest, events: null, batches: 'signed' });
  });
});

async function blockOf(rpcUrl: string): Promise<string> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
    }),
  });
  const { result } = (await answer.json()) as { result: { number: string; hash: string } };
  return `${Number(result.number)} ${result.hash}`;
}
