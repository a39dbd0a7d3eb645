import { pause } from '@svc/local-servers';

export interface EventuallyOptions {
  timeoutMs?: number;
  intervalMs?: number;
}

/**
 * Tries `attempt` until it neither throws nor answers false or undefined, and returns its answer.
 * @throws the last error, or one saying that nothing came, after `timeoutMs` (5 s unless told).
 */
export async function eventually<T>(
  attempt: () => Promise<T> | T,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeoutMs = 5_000, intervalMs = 20 } = options;
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown = new Error(`Did not become true within ${timeoutMs} ms`);
  do {
    try {
      const value = await attempt();
      if (value !== false && value !== undefined) return value as Exclude<T, false | undefined>;
    } catch (error) {
      lastError = error;
    }
    await pause(intervalMs);
  } while (performance.now() < deadline);
  throw lastError;
}
