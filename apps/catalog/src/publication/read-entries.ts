import type { KV, KvEntry } from 'nats';

const PATIENCE_MS = 10_000;

/**
 * The newest entry of each key, removals included, as far as it came after number `revision`; 0 reads the whole bucket.
 * @throws Error when they do not come within 10 s
 */
export async function readEntries(kv: KV, revision: number): Promise<KvEntry[]> {
  const entries: KvEntry[] = [];
  let finish: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (finish = resolve));
  const watch = await kv.watch({
    initializedFn: finish,
    ...(revision > 0 && { resumeFromRevision: revision + 1 }),
  });
  const timer = setTimeout(() => watch.stop(new Error('the bucket could not be read')), PATIENCE_MS);
  void complete.then(() => watch.stop());
  try {
    for await (const entry of watch) entries.push(entry);
  } finally {
    clearTimeout(timer);
  }
  return entries;
}
