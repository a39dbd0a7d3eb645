/**
 * Does some work that is to be given up after a while.
 * @param work is handed a signal that is aborted with the caller's, or when the time is up
 */
export async function withPatience<T>(
  signal: AbortSignal,
  patienceMs: number,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  // Not `AbortSignal.timeout`: where nothing but `any` leads to one, Node 20 collects it, and the time is never up.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error(`not done within ${patienceMs} ms`)), patienceMs);
  try {
    return await work(AbortSignal.any([signal, patience.signal]));
  } finally {
    clearTimeout(timer);
  }
}
