/** Resolves after `delayMs`, or as soon as the signal is aborted. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    signal?.addEventListener('abort', finish);
  });
}

/**
 * Asks `condition` every `intervalMs` until it answers true or `timeoutMs` have passed.
 * @returns whether it became true in time. A condition that throws ends the wait with its error.
 */
export async function becomesTrue(
  condition: () => Promise<boolean> | boolean,
  timeoutMs: number,
  intervalMs = 25,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await pause(intervalMs);
  }
}
