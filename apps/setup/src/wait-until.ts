import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Asks until there is an answer, at growing intervals of up to a second.
 * @param attempt gives undefined while there is nothing yet
 * @throws what `attempt` throws; an AbortError once the signal is aborted
 */
export async function waitUntil<T>(attempt: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    const answer = await attempt();
    if (answer !== undefined) return answer;
    await delay(pauseMs, undefined, { signal });
  }
}
