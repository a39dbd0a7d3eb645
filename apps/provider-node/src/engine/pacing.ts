import { setTimeout as sleep } from 'node:timers/promises';

interface Speed {
  /** 0 means without delay. */
  readonly tokensPerSecond: number;
  readonly firstTokenMs: number;
}

/** A wait shorter than this is made up later: timers are no finer. */
const SHORTEST_SLEEP_MS = 2;

/**
 * Yields items at a speed: the first after `firstTokenMs`, the others evenly after it. The pace is kept against
 * the clock, so that late timers do not add up.
 * @throws AbortError as soon as the signal is aborted
 */
export async function* paced<T>(items: readonly T[], speed: Speed, signal: AbortSignal): AsyncGenerator<T> {
  const start = performance.now();
  for (const [index, item] of items.entries()) {
    signal.throwIfAborted();
    await sleepUntil(start + dueMs(index, speed), signal);
    yield item;
  }
}

/** Waits as long as `paced` takes to yield `count` items. */
export async function waitFor(count: number, speed: Speed, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await sleepUntil(performance.now() + dueMs(Math.max(0, count - 1), speed), signal);
}

function dueMs(index: number, { tokensPerSecond, firstTokenMs }: Speed): number {
  return firstTokenMs + (tokensPerSecond > 0 ? (index * 1_000) / tokensPerSecond : 0);
}

async function sleepUntil(timeMs: number, signal: AbortSignal): Promise<void> {
  const waitMs = timeMs - performance.now();
  if (waitMs >= SHORTEST_SLEEP_MS) await sleep(waitMs, undefined, { signal });
}
