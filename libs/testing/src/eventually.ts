import { pause } from '@svc/local-servers';

interface EventuallyOptions {
  timeoutMs?: number;
  intervalMs?: number;
}

/**
 * Only there to end a hang: what takes a moment takes many on a machine that stands still now and then, or while another
 * spec holds the database up.
 */
const PATIENCE_MS = 30_000;

/**
 * Tries `attempt` until it neither throws nor answers false or undefined, and returns its answer. Tries once more when the time is
 * up: a process that stood still meanwhile would not have looked otherwise.
 * @throws the last error, or one saying that nothing came, after `timeoutMs` (30 s unless told).
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeoutMs = PATIENCE_MS, intervalMs = 20 } = options;
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown = new Error(`Did not become true within ${timeoutMs} ms`);
  for (;;) {
    const isLast = performance.now() >= deadline;
    try {
      const value = await attempt();
      if (value !== false && value !== undefined) return value as Exclude<T, false | undefined>;
    } catch (error) {
      lastError = error;
    }
    if (isLast) throw lastError;
    await pause(intervalMs);
  }
}
