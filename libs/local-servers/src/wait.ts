/** Resolves after `delayMs`. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
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
