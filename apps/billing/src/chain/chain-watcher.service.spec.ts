import { ChainError } from '@svc/contracts-evm';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { ChainMetrics } from './chain.metrics';
import { ChainTablesAwayError } from './chain-tables-away.error';
import { ChainWatcher } from './chain-watcher.service';
import { FakeChain } from './fake-chain.for-spec';

function setUp(wallets = ['0xa', '0xb'], walletsPerBlock?: number, active: string[] = []) {
  const chain = new FakeChain(10);
  const registry = createMetricsRegistry('test');
  const metrics = new ChainMetrics(registry);
  const logger = createLogger('test', 'silent');
  const told = async (name: string) =>
    (await registry.getSingleMetric(`svc_billing_chain_${name}`)?.get())?.values[0]?.value;
  const scanner = chain.scanner(wallets, walletsPerBlock, active);
  return {
    chain,
    written: chain.written,
    told,
    warned: jest.spyOn(logger, 'warn'),
    watcher: new ChainWatcher(new BillingConfig(), logger, scanner, metrics),
  };
}

describe('ChainWatcher', () => {
  it('reads every wallet once a block', async () => {
    const { chain, written, watcher } = setUp();
    await watcher.poll();
    await watcher.poll();
    chain.grow(11);
    await watcher.poll();
    expect(written).toEqual([
      ['0xa', 10n],
      ['0xb', 10n],
      ['0xa', 11n],
      ['0xb', 11n],
    ]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 11' });
    expect(chain.position).toEqual({
      head: { number: 11, hash: 'a11', parentHash: 'a10', timestamp: 1_022 },
      safe: { number: 9, hash: 'a9' },
    });
  });

  it('reads all that are asked for before their turn in one, however many', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await Promise.all(['0xb', '0xc', '0xb', '0xd'].map((wallet) => watcher.refresh(wallet)));
    expect(written.map(([wallet]) => wallet)).toEqual(['0xa', '0xb', '0xc', '0xd']);
    expect(chain.refreshes).toBe(1);
    // That turn is over: this is another.
    await watcher.refresh('0xe');
    expect(chain.refreshes).toBe(2);
  });

  it('reads for those who ask once a second, however many they are and however often they ask', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.refresh('0xb');
    const [asked, beganMs] = [chain.headsTold, performance.now()];
    const others: Promise<void>[] = [];
    for (let wallet = 0; wallet < 200; wallet++)
      others.push(watcher.refresh('0xb'), watcher.refresh(`0xc${wallet}`));
    await Promise.all(others);
    expect(performance.now() - beganMs).toBeGreaterThan(900);
    expect([chain.headsTold - asked, chain.refreshes]).toEqual([1, 2]);
    expect(written).toHaveLength(202);
  });

  it('reads nobody twice at a block, and everybody who asks at the next', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.refresh('0xb');
    await watcher.refresh('0xb');
    expect(written.filter(([wallet]) => wallet === '0xb')).toEqual([['0xb', 10n]]);
    chain.grow(11);
    await Promise.all([watcher.refresh('0xb'), watcher.refresh('0xc')]);
    expect(written.slice(-2)).toEqual([
      ['0xb', 11n],
      ['0xc', 11n],
    ]);
  });

  it('keeps nobody waiting who asks when it ends', async () => {
    const { chain, watcher } = setUp(['0xa']);
    await watcher.refresh('0xb');
    const refreshed = watcher.refresh('0xc');
    await watcher.onModuleDestroy();
    await refreshed;
    expect([chain.refreshes, chain.isClosed]).toEqual([1, true]);
  });

  it('reads those with something at stake every block, and others in turn when there are many', async () => {
    const { chain, written, watcher } = setUp(['0xa', '0xb', '0xc'], 1, ['0xd']);
    for (const height of [10, 11, 12, 13]) {
      chain.grow(height);
      await watcher.poll();
    }
    const at = (height: bigint) => written.filter(([, head]) => head === height).map(([wallet]) => wallet);
    expect([at(10n), at(11n), at(12n)]).toEqual([
      ['0xa', '0xd'],
      ['0xb', '0xd'],
      ['0xc', '0xd'],
    ]);
    chain.grow(14);
    await watcher.poll();
    expect(at(14n)).toEqual(['0xa', '0xd']);
  });

  it('gets to everybody in turn though readings fail again and again', async () => {
    const { chain, written, watcher } = setUp(['0xa', '0xb', '0xc', '0xd'], 1);
    for (let height = 10; height < 19; height++) {
      chain.grow(height);
      chain.error = height % 3 === 0 ? new Error('connect ECONNREFUSED') : undefined;
      await watcher.poll();
    }
    expect(written.map(([wallet]) => wallet)).toEqual(['0xa', '0xb', '0xc', '0xd', '0xa']);
  });

  it('reads those again next whose figures another instance kept from being written', async () => {
    const { chain, written, watcher } = setUp(['0xa', '0xb', '0xc'], 1);
    await watcher.poll();
    chain.grow(11);
    chain.isForestalled = true;
    await watcher.poll();
    chain.grow(12);
    await watcher.poll();
    expect(written).toEqual([
      ['0xa', 10n],
      ['0xb', 12n],
    ]);
  });

  it('reads for other blocks above the safe depth only those whose figures may differ there, and whose turn it is', async () => {
    const { chain, written, told, watcher } = setUp(['0xa', '0xb', '0xc'], 1, ['0xd']);
    await watcher.poll();
    // The safe block is the newest that both chains have.
    expect(chain.position?.safe).toEqual({ number: 8, hash: 'a8' });
    chain.reorganise(2, 'b');
    await watcher.poll();
    expect(await told('deepest_reorganisation_blocks')).toBe(2);
    expect(written.slice(2)).toEqual([
      ['0xb', 11n],
      ['0xd', 11n],
    ]);
  });

  it('reads everybody anew where fewer blocks take the place of those above the safe depth: that goes back with them', async () => {
    const { chain, written, watcher } = setUp(['0xa', '0xb', '0xc'], 1);
    await watcher.poll();
    chain.grow(8);
    chain.grow(9, 'b');
    // A lower head is not believed at once.
    for (let poll = 0; poll < 20; poll++) await watcher.poll();
    expect(chain.position?.safe).toEqual({ number: 7, hash: 'a7' });
    expect(written.slice(1).map(([wallet]) => wallet)).toEqual(['0xa', '0xb', '0xc']);
  });

  it('notices other blocks of the same numbers, and reads everybody anew, where the safe block is among them', async () => {
    const { chain, written, told, watcher } = setUp(['0xa', '0xb'], 1);
    await watcher.poll();
    expect(await told('reorganisations_total')).toBe(0);
    chain.reorganise(4, 'b');
    await watcher.poll();
    expect(await told('reorganisations_total')).toBe(1);
    expect(await told('deepest_reorganisation_blocks')).toBe(4);
    expect(chain.steps.at(-1)).toMatchObject({ ancestor: { number: 6, hash: 'a6' }, dropped: 4 });
    expect(chain.steps.at(-1)?.headers.map(({ hash }) => hash)).toEqual(['b7', 'b8', 'b9', 'b10', 'b11']);
    expect(written.slice(-2)).toEqual([
      ['0xa', 11n],
      ['0xb', 11n],
    ]);
  });

  it('takes a chain without any block it knows for a new one', async () => {
    const { chain, watcher } = setUp();
    await watcher.poll();
    chain.reorganise(11, 'c');
    await watcher.poll();
    expect(chain.steps.at(-1)).toMatchObject({ ancestor: undefined, dropped: 11 });
    expect(chain.known[0]).toMatchObject({ hash: 'c11' });
  });

  it('lets the last limits stay while the chain is away, says so, and reads again when it is back', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.error = new Error('connect ECONNREFUSED');
    await watcher.poll();
    await watcher.refresh('0xb');
    expect(written).toEqual([['0xa', 10n]]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'away; limits are those of block 10' });
    chain.error = undefined;
    // The same block: what was missed meanwhile must still be read.
    await watcher.poll();
    expect(written).toHaveLength(2);
  });

  it('tells a database that is away from a chain that is', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.error = new ChainTablesAwayError(new Error('connection refused'));
    await watcher.poll();
    expect(watcher.readiness.check()).toEqual({
      up: true,
      detail: 'read, but not written; limits are those of block 10',
    });
    chain.error = undefined;
    await watcher.poll();
    expect(written).toHaveLength(2);
  });

  it('is not ready on the wrong chain', async () => {
    const { chain, watcher } = setUp();
    chain.error = new ChainError('wrong_chain', 'expected chain 1, the server is on 2');
    await watcher.poll();
    expect(watcher.readiness.check()).toMatchObject({ up: false });
  });

  it('never believes an older head of the same chain: the server lags', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.grow(8);
    for (let poll = 0; poll < 4; poll++) await watcher.poll();
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 10' });
    for (let poll = 0; poll < 20; poll++) await watcher.poll();
    await watcher.refresh('0xb');
    expect(written).toEqual([['0xa', 10n]]);
    expect(chain.steps).toHaveLength(1);
    const lags = { up: true, detail: 'the server lags; limits are those of block 10' };
    expect(watcher.readiness.check()).toEqual(lags);
    chain.grow(10);
    await watcher.poll();
    // The same block: what was missed meanwhile must still be read.
    expect(chain.steps.at(-1)).toMatchObject({ dropped: 0, headers: [] });
    expect(written).toHaveLength(2);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 10' });
  });

  it('does not believe a head below all recent blocks either, when an older one with an event is still there', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.known = chain.known.slice(0, 3);
    chain.withEvents = [
      { number: 9, hash: 'a9' },
      { number: 4, hash: 'a4' },
    ];
    chain.grow(5);
    for (let poll = 0; poll < 10; poll++) await watcher.poll();
    expect(written).toEqual([['0xa', 10n]]);
    expect(watcher.readiness.check()).toMatchObject({ detail: expect.stringContaining('lags') as string });
    chain.grow(3);
    chain.grow(5, 'b');
    await watcher.poll();
    expect(written.at(-1)).toEqual(['0xa', 5n]);
    expect(chain.steps.at(-1)).toMatchObject({ ancestor: undefined, dropped: 3 });
  });

  it('does not believe a shorter chain of other blocks at once, but a lasting one', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.grow(6);
    chain.grow(8, 'b');
    for (let poll = 0; poll < 4; poll++) await watcher.poll();
    expect(written).toEqual([['0xa', 10n]]);
    await watcher.poll();
    expect(written.at(-1)).toEqual(['0xa', 8n]);
    expect(chain.steps.at(-1)).toMatchObject({ ancestor: { hash: 'a6' }, dropped: 4 });
  });

  it('does not add up older heads with the right one in between: a server behind the others never becomes the truth', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    for (let round = 0; round < 6; round++) {
      chain.grow(8);
      await watcher.poll();
      chain.grow(10);
      await watcher.poll();
    }
    expect(written).toEqual([['0xa', 10n]]);
    expect(chain.steps).toHaveLength(1);
  });

  it('doubts a shorter chain anew each time, whatever it has doubted before', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    // Four looks, and then it was a server that lagged.
    chain.grow(8);
    for (let poll = 0; poll < 4; poll++) await watcher.poll();
    chain.grow(11);
    await watcher.poll();
    // Five, and then it was another chain.
    for (const [fork, length] of [
      ['b', 9],
      ['c', 8],
    ] as const) {
      const before = written.length;
      chain.grow(6);
      chain.grow(length, fork);
      for (let poll = 0; poll < 4; poll++) await watcher.poll();
      expect(written).toHaveLength(before);
      await watcher.poll();
      expect(written.at(-1)).toEqual(['0xa', BigInt(length)]);
    }
  });

  it('tells the block that another instance has read, and that one when a server lags behind it', async () => {
    const { chain, written, told, watcher } = setUp(['0xa']);
    const at = (number: number): void => {
      chain.position = { head: { number, hash: `a${number}` }, safe: { number: 0, hash: 'a0' } };
      chain.known = [{ number, hash: `a${number}` }];
    };
    await watcher.poll();
    chain.grow(11);
    at(11);
    await watcher.poll();
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 11' });
    expect(await told('block')).toBe(11);
    expect(written).toEqual([['0xa', 10n]]);
    at(15);
    chain.withEvents = [{ number: 4, hash: 'a4' }];
    for (let poll = 0; poll < 5; poll++) await watcher.poll();
    expect(watcher.readiness.check()).toEqual({
      up: true,
      detail: 'the server lags; limits are those of block 15',
    });
  });

  it('reads a wallet at once though another instance was first with the block', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    chain.isForestalled = true;
    await watcher.refresh('0xb');
    expect(written).toEqual([
      ['0xa', 10n],
      ['0xb', 10n],
    ]);
  });

  it('gives up a wallet for which the chain moves at each try: the next poll reads it', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    chain.movesMeanwhile = true;
    await watcher.refresh('0xb');
    expect(written).toEqual([]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'not read yet' });
  });

  it('counts each reading that fails, and logs what is wrong once', async () => {
    const { chain, told, warned, watcher } = setUp();
    await watcher.poll();
    const readAt = await told('read_timestamp_seconds');
    expect(readAt).toBeGreaterThan(0);
    chain.error = new Error('connect ECONNREFUSED');
    for (let poll = 0; poll < 3; poll++) await watcher.poll();
    expect(await told('failures_total')).toBe(3);
    expect(await told('read_timestamp_seconds')).toBe(readAt);
    chain.error = new ChainTablesAwayError(new Error('connection refused'));
    await watcher.poll();
    expect(warned.mock.calls.map(([what]) => (what as { problem: string }).problem)).toEqual([
      'away',
      'unwritten',
    ]);
  });

  it('ends when the reading under way has ended', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    void watcher.poll();
    await watcher.onModuleDestroy();
    expect(written).toEqual([['0xa', 10n]]);
    expect(chain.isClosed).toBe(true);
  });

  it('says so when the blocks it is told never fit together, and follows them again when they do', async () => {
    const { chain, written, watcher } = setUp(['0xa']);
    await watcher.poll();
    chain.grow(11);
    chain.movesMeanwhile = true;
    for (let poll = 0; poll < 4; poll++) await watcher.poll();
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 10' });
    await watcher.poll();
    expect(watcher.readiness.check()).toEqual({
      up: true,
      detail: "the server's blocks do not fit together; limits are those of block 10",
    });
    chain.movesMeanwhile = false;
    await watcher.poll();
    expect(written.at(-1)).toEqual(['0xa', 11n]);
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 11' });
  });

  it('tells the age of its block, which is all that gives away a server that stands still', async () => {
    const { chain, told, watcher } = setUp();
    await watcher.poll();
    for (let poll = 0; poll < 10; poll++) await watcher.poll();
    expect(await told('block_timestamp_seconds')).toBe(1_020);
    expect(await told('lag_seconds')).toBeLessThan(60);
    chain.grow(12);
    await watcher.poll();
    expect(await told('block_timestamp_seconds')).toBe(1_024);
  });

  it('is not troubled by another instance that always reads on first', async () => {
    const { chain, watcher } = setUp(['0xa']);
    await watcher.poll();
    for (let height = 11; height < 30; height++) {
      chain.grow(height);
      chain.movesMeanwhile = true;
      await watcher.poll();
      chain.position = { head: { number: height, hash: `a${height}` }, safe: { number: 0, hash: 'a0' } };
    }
    expect(watcher.readiness.check()).toEqual({ up: true, detail: 'block 10' });
  });
});
