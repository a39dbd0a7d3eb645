const TIMES = 5;

/** How long it takes at its fastest, ms: once of several times, whatever else the machine does. */
export function fastestMs(work: () => void): number {
  const times = Array.from({ length: TIMES }, () => {
    const startedMs = performance.now();
    work();
    return performance.now() - startedMs;
  });
  return Math.min(...times);
}
