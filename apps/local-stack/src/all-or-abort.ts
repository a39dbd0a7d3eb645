/**
 * Waits for all of the work. At the first failure the rest is aborted, and waited for too, so that nothing is still
 * starting when the error reaches the caller.
 * @throws the first error
 */
export async function allOrAbort(work: readonly Promise<unknown>[], abort: AbortController): Promise<void> {
  let first: { error: unknown } | undefined;
  await Promise.all(
    work.map((task) =>
      task.catch((error: unknown) => {
        first ??= { error };
        abort.abort(error);
      }),
    ),
  );
  if (first !== undefined) throw first.error;
}
