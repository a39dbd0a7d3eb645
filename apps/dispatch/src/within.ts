import { setTimeout as delay } from 'node:timers/promises';

/** @returns false when the work was not done in time */
export function within(timeMs: number, work: Promise<void>): Promise<boolean> {
  const done = work.then(() => true);
  return valueWithin(timeMs, done, false);
}

/**
 * @param otherwise what it comes to when the value has not come in time
 * @throws what the value is rejected with
 */
export async function valueWithin<Value>(
  timeMs: number,
  value: Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  const abort = new AbortController();
  const timeout = delay(timeMs, otherwise, { signal: abort.signal }).catch(() => otherwise);
  try {
    return await Promise.race([value, timeout]);
  } finally {
    abort.abort();
  }
}
