/**
 * Waits for work to be done, and no longer than that: it goes on all the same.
 * @returns false when it was not done in time
 * @throws what it fails with in time; a failure that comes later is nobody's any more
 */
export function within(timeMs: number, work: Promise<unknown>): Promise<boolean> {
  const done = work.then(() => true);
  return valueWithin(timeMs, done, false);
}

/**
 * Waits for a value, and no longer than that.
 * @param otherwise what it comes to when the value has not come in time
 * @throws what the value is rejected with in time; a rejection that comes later is nobody's any more
 */
export async function valueWithin<Value>(
  timeMs: number,
  value: Value | Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<Value>((resolve) => {
    timer = setTimeout(resolve, timeMs, otherwise);
  });
  try {
    return await Promise.race([value, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
