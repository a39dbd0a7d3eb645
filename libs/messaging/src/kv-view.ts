import { setTimeout as delay } from 'node:timers/promises';
import { within } from '@svc/time-limit';
import type { KvEntry, NatsConnection } from 'nats';
import { followConnection } from './follow-connection';
import { isJetStreamAnswer } from './jetstream-answer';

const RETRY_MS = 500;
/** How long entries of a bucket that was lost are kept for its writer to fill it again. */
const REFILL_MS = 10_000;

/**
 * A JetStream KV bucket as a map in memory, kept current. The first full load makes it `loaded`; from then on it serves
 * what it last knew, whatever becomes of the bucket's writer or of NATS.
 */
export class KvView<T> {
  private readonly entries = new Map<string, T>();
  private readonly changeListeners: (() => void)[] = [];
  private stopped = false;
  private stopWatch: (() => void) | undefined;
  private dropTimer: NodeJS.Timeout | undefined;
  private reconnects = 0;
  private loadedOnce = false;
  private tellLoaded!: () => void;
  private readonly firstLoad = new Promise<void>((resolve) => (this.tellLoaded = resolve));

  constructor(
    private readonly connection: NatsConnection,
    private readonly bucket: string,
    private readonly onBroken: (key: string, error: unknown) => void,
  ) {}

  /** Whether the whole bucket has been read once. */
  get loaded(): boolean {
    return this.loadedOnce;
  }

  /** Resolves when the whole bucket has been read once, or after `patienceMs`; at once except right after the start. */
  async whenLoaded(patienceMs: number): Promise<void> {
    if (!this.loadedOnce) await within(patienceMs, this.firstLoad);
  }

  /** Tells if the bucket is not read within `patienceMs`, and when it is then: from there on what is known is served. */
  followLoad(patienceMs: number, follower: { onAway(reason: Error): void; onBack(): void }): void {
    void this.whenLoaded(patienceMs).then(() => {
      if (this.loadedOnce || this.stopped) return;
      follower.onAway(new Error(`the bucket ${this.bucket} is not loaded`));
      void this.firstLoad.then(() => follower.onBack());
    });
  }

  get(key: string): T | undefined {
    return this.entries.get(key);
  }

  values(): IterableIterator<T> {
    return this.entries.values();
  }

  /** Called after each change, and once after the first full load. */
  onChange(listener: () => void): void {
    this.changeListeners.push(listener);
  }

  /** Watches until stopped; while the bucket does not exist yet, or the watch breaks, tries again. */
  start(): void {
    void this.run();
    followConnection(this.connection, { onBack: () => this.readAnew() });
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.dropTimer);
    this.stopWatch?.();
  }

  /**
   * Whenever NATS is back. A restarted server has forgotten its watchers, which nats.js notices only 10 to 15 s later; and
   * if storage was lost it would go on at a sequence number that the new bucket has yet to reach.
   */
  private readAnew(): void {
    if (this.stopped) return;
    this.reconnects++;
    this.stopWatch?.();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.watchOnce();
      } catch {
        // The bucket is not there yet, or NATS is away: both mend themselves.
      }
      // What was written again since is not heard of before the next load.
      clearTimeout(this.dropTimer);
      if (!this.stopped) await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  private async watchOnce(): Promise<void> {
    const { reconnects } = this;
    const kv = await this.connection.jetstream().views.kv(this.bucket, { bindOnly: true });
    const seen = new Set<string>();
    const status = await kv.status();
    if (status.values === 0) this.finishLoad(seen);
    const watch = await kv.watch({ initializedFn: () => this.finishLoad(seen) });
    this.stopWatch = () => watch.stop();
    // Stopped, or reconnected, while the watch was being set up.
    if (this.stopped || reconnects !== this.reconnects) watch.stop();
    for await (const entry of watch) {
      seen.add(entry.key);
      this.apply(entry);
    }
  }

  /** @param seen the keys read so far; it grows as further ones arrive */
  private finishLoad(seen: ReadonlySet<string>): void {
    this.loadedOnce = true;
    this.tellLoaded();
    // What was removed while nobody watched left a mark and is gone by now. A key without even a mark tells that the
    // bucket was lost: it is on its way back, or gone for good.
    clearTimeout(this.dropTimer);
    if ([...this.entries.keys()].some((key) => !seen.has(key))) {
      this.dropTimer = setTimeout(() => this.dropUnseen(seen), REFILL_MS).unref();
    }
    this.notify();
  }

  private dropUnseen(seen: ReadonlySet<string>): void {
    for (const key of this.entries.keys()) if (!seen.has(key)) this.entries.delete(key);
    this.notify();
  }

  private apply(entry: KvEntry): void {
    if (entry.operation === 'PUT') {
      try {
        const value = entry.json<T | null>();
        if (value === null) throw new TypeError('the entry holds nothing');
        // What it stands for is unknown; what was known of it is nearer to the truth than nothing.
        if (isJetStreamAnswer(value)) throw new TypeError('the entry is an answer of JetStream');
        this.entries.set(entry.key, value);
      } catch (error) {
        this.onBroken(entry.key, error);
        return;
      }
    } else {
      this.entries.delete(entry.key);
    }
    if (this.loadedOnce) this.notify();
  }

  private notify(): void {
    for (const listener of this.changeListeners) listener();
  }
}
