import { Events } from 'nats';
import type { KvEntry, NatsConnection } from 'nats';
import { KvView } from './kv-view';

// By the clock that the tests move.
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

const REFILL_MS = 10_000;

/** A watch of a bucket that tells what it is given until it is stopped. */
class Watch {
  private readonly entries: KvEntry[] = [];
  private wake: () => void = () => undefined;
  private stopped = false;

  constructor(readonly loaded: () => void) {}

  put(key: string): void {
    const entry = { key, operation: 'PUT', json: () => ({ key }) };
    this.entries.push(entry as unknown as KvEntry);
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    this.wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      for (let entry = this.entries.shift(); entry; entry = this.entries.shift()) yield entry;
      if (this.stopped) return;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

/** A view of a bucket with one entry, and what becomes of its connection. */
async function loadedView() {
  let watch: Watch | undefined;
  let isAway = false;
  let told: (event: { type: Events }) => void = () => undefined;
  const kv = {
    status: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve({ values: 1 })),
    watch: ({ initializedFn }: { initializedFn: () => void }) =>
      Promise.resolve((watch = new Watch(initializedFn))),
  };
  const connection = {
    jetstream: () => ({ views: { kv: () => Promise.resolve(kv) } }),
    async *status() {
      for (;;) yield await new Promise<{ type: Events }>((resolve) => (told = resolve));
    },
  };
  const view = new KvView<object>(connection as unknown as NatsConnection, 'bucket', () => undefined);
  const settle = () => jest.advanceTimersByTimeAsync(0);
  /** The next watch tells these. */
  const load = async (...keys: string[]) => {
    await jest.advanceTimersByTimeAsync(1_000);
    for (const key of keys) watch?.put(key);
    await settle();
    watch?.loaded();
    await settle();
  };
  const reconnect = async () => {
    told({ type: Events.Reconnect });
    await settle();
  };
  view.start();
  await load('a', 'b');
  return {
    view,
    load,
    reconnect,
    setAway: (away: boolean) => (isAway = away),
    keys: () => ['a', 'b'].filter((key) => view.get(key)),
  };
}

describe('a view of a bucket that was lost', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('drops what its writer has not written again for a while', async () => {
    const { view, load, reconnect, keys } = await loadedView();
    await reconnect();
    await load('a');
    await jest.advanceTimersByTimeAsync(REFILL_MS - 1);
    expect(keys()).toEqual(['a', 'b']);
    await jest.advanceTimersByTimeAsync(1);
    expect(keys()).toEqual(['a']);
    view.stop();
  });

  it('keeps what it knows while nobody can tell what was written again: NATS is away once more', async () => {
    const { view, load, reconnect, setAway, keys } = await loadedView();
    await reconnect();
    await load('a');
    setAway(true);
    await reconnect();
    await jest.advanceTimersByTimeAsync(3 * REFILL_MS);
    expect(keys()).toEqual(['a', 'b']);
    setAway(false);
    await load('a', 'b');
    await jest.advanceTimersByTimeAsync(3 * REFILL_MS);
    expect(keys()).toEqual(['a', 'b']);
    view.stop();
  });
});
