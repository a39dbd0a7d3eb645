import { Events } from 'nats';
import type { KvEntry, NatsConnection } from 'nats';
import { KvView } from './kv-view';

// By the clock that the tests move.
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

const RETRY_MS = 500;
const REFILL_MS = 10_000;

/** A watch of a bucket that tells what it is given until it is stopped. */
class Watch {
  isStopped = false;
  private readonly entries: KvEntry[] = [];
  private wake: () => void = () => undefined;

  constructor(readonly loaded: () => void) {}

  put(key: string, json: () => unknown = () => ({ key })): void {
    this.tell({ key, operation: 'PUT', json });
  }

  remove(key: string): void {
    this.tell({ key, operation: 'DEL', json: () => ({ key }) });
  }

  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      for (let entry = this.entries.shift(); entry; entry = this.entries.shift()) yield entry;
      if (this.isStopped) return;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private tell(entry: object): void {
    this.entries.push(entry as KvEntry);
    this.wake();
  }
}

/** A view, and what becomes of its bucket and its connection. */
class Viewed {
  readonly watches: Watch[] = [];
  readonly broken: string[] = [];
  readonly view: KvView<object>;
  changes = 0;
  isAway = false;
  isEmpty = false;
  /** What setting up a watch waits for. */
  setUp: Promise<void> = Promise.resolve();
  private told: (event: { type: Events }) => void = () => undefined;

  constructor() {
    const bucket = {
      status: () =>
        this.isAway ? Promise.reject(new Error('away')) : Promise.resolve({ values: this.isEmpty ? 0 : 1 }),
      watch: async ({ initializedFn }: { initializedFn: () => void }) => {
        const watch = new Watch(initializedFn);
        this.watches.push(watch);
        await this.setUp;
        return watch;
      },
    };
    const next = () => new Promise<{ type: Events }>((resolve) => (this.told = resolve));
    const connection = {
      // Whoever only reads a bucket may not make it.
      jetstream: () => ({
        views: {
          kv: (_: string, { bindOnly }: { bindOnly: boolean }) =>
            bindOnly ? Promise.resolve(bucket) : Promise.reject(new Error('permissions violation')),
        },
      }),
      async *status() {
        for (;;) yield await next();
      },
    };
    const noteBroken = (key: string) => void this.broken.push(key);
    this.view = new KvView(connection as unknown as NatsConnection, 'bucket', noteBroken);
    this.view.onChange(() => this.changes++);
    this.view.start();
  }

  static async loaded(...keys: string[]): Promise<Viewed> {
    const viewed = new Viewed();
    await viewed.load(...keys);
    return viewed;
  }

  get watch(): Watch {
    return this.watches.at(-1) as Watch;
  }

  get keys(): string[] {
    return ['a', 'b'].filter((key) => this.view.get(key));
  }

  settle(): Promise<void> {
    return jest.advanceTimersByTimeAsync(0);
  }

  /** The next watch tells these. */
  async load(...keys: string[]): Promise<void> {
    await jest.advanceTimersByTimeAsync(2 * RETRY_MS);
    for (const key of keys) this.watch.put(key);
    await this.settle();
    this.watch.loaded();
    await this.settle();
  }

  async reconnect(): Promise<void> {
    this.told({ type: Events.Reconnect });
    await this.settle();
  }
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('a view of a bucket', () => {
  it('tells once that the whole bucket was read, and of each change after that', async () => {
    const viewed = new Viewed();
    await viewed.settle();
    for (const key of ['a', 'b']) viewed.watch.put(key);
    await viewed.settle();
    expect([viewed.view.loaded, viewed.changes]).toEqual([false, 0]);
    viewed.watch.loaded();
    expect([viewed.view.loaded, viewed.changes]).toEqual([true, 1]);
    viewed.watch.put('c');
    await viewed.settle();
    expect([[...viewed.view.values()], viewed.changes]).toEqual([
      [{ key: 'a' }, { key: 'b' }, { key: 'c' }],
      2,
    ]);
    viewed.watch.remove('a');
    await viewed.settle();
    expect([viewed.keys, viewed.changes]).toEqual([['b'], 3]);
    viewed.view.stop();
  });

  it('has read all of an empty one, of which no watch tells anything', async () => {
    const viewed = new Viewed();
    viewed.isEmpty = true;
    await viewed.settle();
    expect([viewed.view.loaded, viewed.changes]).toEqual([true, 1]);
    viewed.view.stop();
  });

  it('looks for it until it is there', async () => {
    const viewed = new Viewed();
    viewed.isAway = true;
    await jest.advanceTimersByTimeAsync(10 * RETRY_MS);
    expect([viewed.view.loaded, viewed.watches.length]).toEqual([false, 0]);
    viewed.isAway = false;
    await viewed.load('a');
    expect([viewed.view.loaded, viewed.keys]).toEqual([true, ['a']]);
    viewed.view.stop();
  });

  it.each<[string, () => unknown]>([
    ['no JSON', (): unknown => JSON.parse('{')],
    ['nothing', () => null],
    ['an answer of JetStream', () => ({ type: 'io.nats.jetstream.api.v1.account_info_response' })],
  ])('keeps what it knew of an entry that holds %s, and says which one it is', async (_, json) => {
    const viewed = await Viewed.loaded('a', 'b');
    const { changes } = viewed;
    viewed.watch.put('a', json);
    await viewed.settle();
    expect(viewed.view.get('a')).toEqual({ key: 'a' });
    expect([viewed.broken, viewed.changes]).toEqual([['a'], changes]);
    viewed.view.stop();
  });

  it('follows it no more once it is stopped', async () => {
    const viewed = await Viewed.loaded('a');
    await viewed.reconnect();
    await viewed.load();
    viewed.view.stop();
    expect(viewed.watch.isStopped).toBe(true);
    await viewed.reconnect();
    await jest.advanceTimersByTimeAsync(2 * REFILL_MS);
    expect([viewed.watches.length, viewed.keys]).toEqual([2, ['a']]);
  });

  it.each<[string, (viewed: Viewed) => void | Promise<void>, number]>([
    ['the connection was lost, and is back', (viewed: Viewed) => viewed.reconnect(), 2],
    ['it was stopped', (viewed: Viewed) => viewed.view.stop(), 1],
  ])('trusts no watch that was being set up when %s', async (_, happen, watches) => {
    const viewed = new Viewed();
    let isSetUp: () => void = () => undefined;
    viewed.setUp = new Promise((resolve) => (isSetUp = resolve));
    await viewed.settle();
    const [first] = viewed.watches;
    await happen(viewed);
    isSetUp();
    await jest.advanceTimersByTimeAsync(2 * RETRY_MS);
    expect([first?.isStopped, viewed.watches.length]).toEqual([true, watches]);
    viewed.view.stop();
  });
});

describe('a view of a bucket that was lost', () => {
  it.each([
    ['some', ['a']],
    ['none', []],
  ])('drops what its writer has not written again for a while, when %s of it was', async (_, again) => {
    const viewed = await Viewed.loaded('a', 'b');
    await viewed.reconnect();
    await viewed.load(...again);
    await jest.advanceTimersByTimeAsync(REFILL_MS - 1);
    expect(viewed.keys).toEqual(['a', 'b']);
    const { changes } = viewed;
    await jest.advanceTimersByTimeAsync(1);
    expect([viewed.keys, viewed.changes]).toEqual([again, changes + 1]);
    viewed.view.stop();
  });

  it('keeps what it knows while nobody can tell what was written again: NATS is away once more', async () => {
    const viewed = await Viewed.loaded('a', 'b');
    await viewed.reconnect();
    await viewed.load('a');
    viewed.isAway = true;
    await viewed.reconnect();
    await jest.advanceTimersByTimeAsync(3 * REFILL_MS);
    expect(viewed.keys).toEqual(['a', 'b']);
    viewed.isAway = false;
    await viewed.load('a', 'b');
    await jest.advanceTimersByTimeAsync(3 * REFILL_MS);
    expect(viewed.keys).toEqual(['a', 'b']);
    viewed.view.stop();
  });
});
