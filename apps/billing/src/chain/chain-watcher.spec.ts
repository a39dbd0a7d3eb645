import { ChainError } from '@svc/contracts-evm';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { ChainMetrics } from './chain.metrics';
import type { ChainReader } from './chain-reader';
import { ChainWatcher } from './chain-watcher.service';
import type { WalletLimits } from './limit';
import { LimitsNotWrittenError } from './limit.store';
import type { LimitStore } from './limit.store';

const limits = (wallet: string, head: number): WalletLimits => ({
  wallet,
  head: { balance: BigInt(head), allowance: BigInt(head), settled: 0n },
  safe: undefined,
});

/** A chain of one number, and a table of what was written. */
function setUp(wallets = ['0xa', '0xb']) {
  const chain: { head: number; error?: Error } = { head: 10 };
  const written: [wallet: string, head: bigint][] = [];
  const reader = {
    head: () => (chain.error ? Promise.reject(chain.error) : Promise.resolve(chain.head)),
    limits: (asked: readonly string[], head: number) =>
      Promise.resolve(asked.map((wallet) => limits(wallet, head))),
    close: () => undefined,
  } as unknown as ChainReader;
  const store = {
    wallets: () => Promise.resolve(wallets),
    write: (rows: readonly WalletLimits[]) => {
      written.push(...rows.map(({ wallet, head }) => [wallet, head.balance] as [string, bigint]));
      return Promise.resolve(rows.length);
    },
  } as unknown as LimitStore;
  const metrics = new ChainMetrics(createMetricsRegistry('test'));
  const logger = createLogger('test', 'silent');
  const watcher = new ChainWatcher(new BillingConfig(), logger, reader, store, metrics);
  return { chain, written, watcher };
}

describe('ChainWatcher', () => {
  it('reads every wallet once a block', async () => {
    const { chain, written, watcher } = setUp();
    await watcher.poll();
    await watcher.poll();
    chain.head = 11;
    await watcher.poll();
    expect(written).toEqual([
      ['0xa', 10n],
      ['0xb', 10n],
      ['0xa', 11n],
      ['0xb', 11n],
    ]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 11' });
  });

  it('lets the last limits stay while the chain is away, says so, and reads again when it is back', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.error = new Error('connect ECONNREFUSED');
    await watcher.poll();
    await watcher.refresh('0xb');
    expect(written).toEqual([['0xa', 10n]]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'away; limits are those of block 10' });
    delete chain.error;
    // The same block: what was missed meanwhile must still be read.
    await watcher.poll();
    expect(written).toHaveLength(2);
  });

  it('tells a database that is away from a chain that is', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.error = new LimitsNotWrittenError(new Error('connection refused'));
    await watcher.poll();
    expect(watcher.readiness.check()).toEqual({
      up: true,
      detail: 'read, but not written; limits are those of block 10',
    });
    delete chain.error;
    await watcher.poll();
    expect(written).toHaveLength(2);
  });

  it('is not ready on the wrong chain', async () => {
    const { chain, watcher } = setUp();
    chain.error = new ChainError('wrong_chain', 'expected chain 1, the server is on 2');
    await watcher.poll();
    expect(watcher.readiness.check()).toMatchObject({ up: false });
  });

  it('does not believe an older head at once, but a lasting one', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.head = 8;
    for (let poll = 0; poll < 4; poll++) await watcher.poll();
    expect(written).toEqual([['0xa', 10n]]);
    await watcher.poll();
    expect(written.at(-1)).toEqual(['0xa', 8n]);
  });
});
