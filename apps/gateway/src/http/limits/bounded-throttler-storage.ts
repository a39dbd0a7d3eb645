import type { ThrottlerStorage } from '@nestjs/throttler';
import { BoundedMap } from '@svc/collections';
import type { Clock } from '../../clock';

/** Clients remembered at once; some 100 bytes each. */
const MAX_RECORDS = 20_000;

interface Window {
  hits: number;
  endsMs: number;
}

/**
 * Counts requests in fixed windows, in memory and within bounds: each client has one record, ended ones make room first, then the
 * oldest. (The package's own storage keeps a timer for every request.)
 */
export class BoundedThrottlerStorage implements ThrottlerStorage {
  /** In the order in which the windows began. */
  private readonly windows: BoundedMap<string, Window>;

  constructor(
    private readonly clock: Clock,
    maxRecords = MAX_RECORDS,
  ) {
    this.windows = new BoundedMap(maxRecords);
  }

  get size(): number {
    return this.windows.size;
  }

  /** @param ttlMs the window's length; every throttler of one storage has the same */
  increment(key: string, ttlMs: number, limit: number): ReturnType<ThrottlerStorage['increment']> {
    const nowMs = this.clock.nowMs();
    this.dropEnded(nowMs);
    let window = this.windows.get(key);
    if (!window) {
      this.windows.set(key, (window = { hits: 0, endsMs: nowMs + ttlMs }));
    }
    window.hits++;
    const seconds = Math.ceil((window.endsMs - nowMs) / 1_000);
    return Promise.resolve({
      totalHits: window.hits,
      timeToExpire: seconds,
      isBlocked: window.hits > limit,
      timeToBlockExpire: seconds,
    });
  }

  /** One of those counted was none. */
  takeBack(key: string): void {
    const window = this.windows.get(key);
    if (window && window.hits > 0) window.hits--;
  }

  private dropEnded(nowMs: number): void {
    for (const [key, { endsMs }] of this.windows) {
      if (endsMs > nowMs) return;
      this.windows.delete(key);
    }
  }
}
