import { setTimeout as delay } from 'node:timers/promises';

/** @returns false when the work was not done in time */
export async function within(timeMs: number, work: Promise<void>): Promise<boolean> {
  const abort = new AbortController();
  const timeout = delay(timeMs, false, { signal: abort.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true), timeout]);
  abort.abort();
  return done;
}
