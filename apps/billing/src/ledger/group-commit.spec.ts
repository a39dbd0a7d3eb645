import type * as Timers from 'node:timers/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { billingContracts } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { GroupCommit } from './group-commit';
import type { GroupCommitOptions } from './group-commit';
import { LOCK_TIMEOUT_MS } from './ledger-connection';

jest.mock('node:timers/promises', () => {
  const real = jest.requireActual<typeof Timers>('node:timers/promises');
  return { ...real, setTimeout: jest.fn(real.setTimeout) };
});

interface Op {
  key: string;
  value: number;
}

/** A store whose commits the test ends one by one. */
class ManualStore {
  readonly batches: Op[][] = [];
  private readonly ends: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  commit = async (operations: readonly Op[]): Promise<number[]> => {
    this.batches.push([...operations]);
    await new Promise<void>((resolve, reject) => this.ends.push({ resolve, reject }));
    return operations.map(({ value }) => value * 10);
  };

  async end(error?: unknown): Promise<void> {
    const next = await this.pending();
    if (error === undefined) next.resolve();
    else next.reject(error);
    await turn();
  }

  private async pending() {
    await eventually(() => this.ends.length > 0, { intervalMs: 1 });
    const next = this.ends.shift();
    if (!next) throw new Error('no commit is under way');
    return next;
  }
}

const away = new Error('away');
const locked = new Error('locked');
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const op = (value: number, key = `k${value}`): Op => ({ key, value });

function setUp(changes: Partial<GroupCommitOptions<Op, number>> = {}) {
  const store = new ManualStore();
  const failed: Op[] = [];
  const sizes: number[] = [];
  const batcher = new GroupCommit<Op, number>({
    commit: store.commit,
    keyOf: ({ key }) => key,
    isUnavailable: (error) => error === away,
    lockOf: ({ value }) => (value > 10 ? 'locked' : 'free'),
    isLocked: (error) => error === locked,
    maxBatch: 4,
    gatherMs: 0,
    maxWaiting: 3,
    observer: {
      committed: (size) => sizes.push(size),
      unavailable: () => undefined,
      failed: (_, operation) => failed.push(operation),
    },
    ...changes,
  });
  return { store, batcher, failed, sizes };
}

/** Has the batcher wait until it is told to go on, instead of by the clock. @returns tells it, once it waits */
function waitingByHand(): () => Promise<void> {
  const waits: (() => void)[] = [];
  const byHand = () => new Promise<void>((resolve) => waits.push(resolve));
  jest.mocked(delay).mockImplementationOnce(byHand);
  return () => eventually(() => waits.length > 0).then(() => waits.shift()?.());
}

const values = (batches: Op[][]) => batches.map((batch) => batch.map(({ value }) => value));

describe('GroupCommit', () => {
  it('gathers what comes in one turn, and then what comes while a commit is under way, up to its limit', async () => {
    const { store, batcher, sizes } = setUp();
    const first = [batcher.submit(op(1)), batcher.submit(op(2))];
    await turn();
    const later = [3, 4, 5, 6, 7].map((value) => batcher.submit(op(value)));
    await store.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await store.end();
    await store.end();
    expect(await Promise.all(later)).toEqual([30, 40, 50, 60, 70]);
    expect(values(store.batches)).toEqual([[1, 2], [3, 4, 5, 6], [7]]);
    expect(sizes).toEqual([2, 4, 1]);
  });

  it('lets the next batch of a crowd wait for more, and that of a few for nobody', async () => {
    const gatherMs = 3_600_000;
    const { store, batcher } = setUp({ maxBatch: 100, maxWaiting: 100, gatherMs });
    const goOn = waitingByHand();
    const crowd = Array.from({ length: 8 }, (_, index) => batcher.submit(op(index)));
    await turn();
    const few = [batcher.submit(op(8))];
    await store.end();
    await Promise.all(crowd);
    // The crowd is answered at once; whoever comes in its wake goes together.
    await turn();
    expect(store.batches).toHaveLength(1);
    few.push(batcher.submit(op(9)));
    await goOn();
    // What the first took of it is not waited for again.
    const longest = Math.max(...jest.mocked(delay).mock.calls.map(([waitMs]) => waitMs ?? 0));
    expect(longest).toBeGreaterThan(gatherMs - 60_000);
    expect(longest).toBeLessThan(gatherMs);
    await store.end();
    await Promise.all(few);
    const last = batcher.submit(op(10));
    await turn();
    expect(values(store.batches).slice(1)).toEqual([[8, 9], [10]]);
    await store.end();
    await last;
  });

  it('answers after the commit, not before', async () => {
    const { store, batcher } = setUp();
    let answered = false;
    const reply = batcher.submit(op(1)).then(() => (answered = true));
    await turn();
    await turn();
    expect(answered).toBe(false);
    await store.end();
    await reply;
  });

  it('sends the next batch first, and then answers the callers of the one that was committed', async () => {
    const { store, batcher } = setUp();
    const sentByThen = batcher.submit(op(1)).then(() => store.batches.length);
    await turn();
    const next = batcher.submit(op(2));
    await store.end();
    expect(await sentByThen).toBe(2);
    await store.end();
    await next;
  });

  it('never puts two operations with one key into a batch, and keeps their order', async () => {
    const { store, batcher } = setUp();
    const replies = [op(1, 'a'), op(2, 'a'), op(3, 'b'), op(4, 'a')].map((each) => batcher.submit(each));
    for (let batch = 0; batch < 3; batch++) await store.end();
    await Promise.all(replies);
    expect(values(store.batches)).toEqual([[1, 3], [2], [4]]);
  });

  it('sends the same batch again when the outcome is unknown', async () => {
    const { store, batcher } = setUp();
    const replies = [1, 2].map((value) => batcher.submit(op(value)));
    await store.end(away);
    await store.end(away);
    await store.end();
    expect(await Promise.all(replies)).toEqual([10, 20]);
    expect(values(store.batches)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  it('gives a store that is away longer each time before it tries again, and tells of each try', async () => {
    const tries: number[] = [];
    const { store, batcher } = setUp({
      observer: {
        committed: () => undefined,
        unavailable: (error, attempt) => void (error === away && tries.push(attempt)),
        failed: () => undefined,
      },
    });
    const waits: [ms: number | undefined, sent: number][] = [];
    jest.mocked(delay).mockImplementation(async (ms) => {
      await turn();
      waits.push([ms, store.batches.length]);
    });
    const reply = batcher.submit(op(1));
    for (let attempt = 1; attempt <= 8; attempt++) await store.end(away);
    await store.end();
    expect(await reply).toBe(10);
    expect(tries).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // Nothing is sent while it waits.
    const expected = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000];
    expect(waits).toEqual(expected.map((ms, index) => [ms, index + 1]));
    jest
      .mocked(delay)
      .mockImplementation(jest.requireActual<typeof Timers>('node:timers/promises').setTimeout);
  });

  it('applies one by one what failed together, so that only the culprit fails', async () => {
    const { store, batcher, failed } = setUp();
    const replies = [1, 2, 3].map((value) => batcher.submit(op(value)));
    const settled = Promise.allSettled(replies);
    await store.end(new Error('constraint'));
    await store.end();
    await store.end(new Error('constraint'));
    await store.end();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(failed.map(({ value }) => value)).toEqual([2]);
    expect(values(store.batches)).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('waits for a lock that somebody else holds once, not for each operation that needs it', async () => {
    const { store, batcher, failed } = setUp();
    const replies = [11, 1, 12, 13].map((value) => batcher.submit(op(value)));
    const settled = Promise.allSettled(replies);
    await store.end(locked);
    await store.end(locked);
    await store.end();
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(failed.map(({ value }) => value)).toEqual([11, 12, 13]);
    expect(values(store.batches)).toEqual([[11, 1, 12, 13], [11], [1]]);
    const later = batcher.submit(op(14));
    await store.end();
    expect(await later).toBe(140);
  });

  it('has neighbours of a lock that somebody keeps served in time, also those who come behind a batch that waits for it', async () => {
    const { store, batcher } = setUp();
    const realNow = performance.now.bind(performance);
    let waitedMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + waitedMs);
    const deadlineMs = performance.now() + billingContracts.admitHold.timeoutMs;
    const outcomes = [11, 1].map((value) => batcher.submit(op(value), { deadlineMs }));
    await turn();
    outcomes.push(...[12, 2].map((value) => batcher.submit(op(value), { deadlineMs })));
    const settled = Promise.allSettled(outcomes);
    for (let round = 1; round <= 2; round++) {
      for (let lock = 1; lock <= 2; lock++) {
        waitedMs += LOCK_TIMEOUT_MS;
        await store.end(locked);
      }
      await store.end();
    }
    const [stuck, served] = ['rejected', 'fulfilled'];
    expect((await settled).map(({ status }) => status)).toEqual([stuck, served, stuck, served]);
    expect(values(store.batches)).toEqual([[11, 1], [11], [1], [12, 2], [12], [2]]);
    clock.mockRestore();
  });

  it('drops what its caller has given up, also before it sends a batch again', async () => {
    const { store, batcher } = setUp();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const stale = batcher.submit(op(1), { deadlineMs: 999 });
    await expect(stale).rejects.toMatchObject({ reason: 'expired' });
    const deadlineMs = 1_020;
    const soon = batcher.submit(op(2), { deadlineMs });
    const patient = batcher.submit(op(3));
    const refused = expect(soon).rejects.toMatchObject({ reason: 'expired' });
    // Its time is up once it was sent, and before it is sent again.
    await eventually(() => store.batches.length === 1);
    clock.mockReturnValue(deadlineMs + 1);
    await store.end(away);
    await refused;
    await store.end();
    expect(await patient).toBe(30);
    expect(values(store.batches)).toEqual([[2, 3], [3]]);
    clock.mockRestore();
  });

  it('refuses what may be refused when too many wait', async () => {
    const { store, batcher } = setUp();
    const replies = [1, 2, 3].map((value) => batcher.submit(op(value), { refusable: true }));
    await expect(batcher.submit(op(4), { refusable: true })).rejects.toMatchObject({ reason: 'overloaded' });
    replies.push(batcher.submit(op(5)));
    await store.end();
    expect(await Promise.all(replies)).toEqual([10, 20, 30, 50]);
  });

  it('closes: applies what it took, takes no more', async () => {
    const { store, batcher } = setUp();
    const reply = batcher.submit(op(1));
    let isClosed = false;
    const closed = batcher.close().then(() => (isClosed = true));
    await expect(batcher.submit(op(2))).rejects.toMatchObject({ reason: 'closed' });
    await turn();
    expect(isClosed).toBe(false);
    await store.end();
    expect(await reply).toBe(10);
    await closed;
  });

  it('closes while the store is away: refuses what waits, instead of waiting for ever', async () => {
    const { store, batcher } = setUp();
    const reply = batcher.submit(op(1));
    await turn();
    const waiting = batcher.submit(op(2));
    const refused = Promise.all([
      expect(reply).rejects.toMatchObject({ reason: 'closed' }),
      expect(waiting).rejects.toMatchObject({ reason: 'closed' }),
    ]);
    const closed = batcher.close();
    await store.end(away);
    await refused;
    await closed;
  });
});
