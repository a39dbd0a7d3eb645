import { Inject, Injectable } from '@nestjs/common';
import { CATALOG_BUCKETS } from '@svc/contracts';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { KV } from 'nats';
import type { BucketContent } from './published-views';

/** How many writes may wait for their acknowledgement at once. */
const WRITES_AT_ONCE = 128;
const READ_PATIENCE_MS = 10_000;

/** How many entries a replacement wrote and removed. */
export interface Replaced {
  put: number;
  deleted: number;
}

/** The JetStream KV buckets of the published views. */
@Injectable()
export class ViewBuckets {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /**
   * Makes a bucket hold exactly `content`, touching only what differs from what it holds now. The bucket is created when it is not
   * there (the first start, or storage that was lost).
   * @throws NatsError when NATS is away or does not acknowledge a write: part of the changes may have been made
   */
  async replace(view: keyof typeof CATALOG_BUCKETS, content: BucketContent): Promise<Replaced> {
    // Bound anew each time: it is what creates a bucket that was lost.
    const kv = await this.messaging.connection.jetstream().views.kv(CATALOG_BUCKETS[view], { history: 1 });
    const present = await readContent(kv, CATALOG_BUCKETS[view]);
    const changed = [...content].filter(([key, value]) => present.get(key) !== value);
    const gone = [...present.keys()].filter((key) => !content.has(key));
    await inBatches(changed, ([key, value]) => kv.put(key, value));
    await inBatches(gone, (key) => kv.delete(key));
    return { put: changed.length, deleted: gone.length };
  }
}

async function readContent(kv: KV, bucket: string): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  let finish: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (finish = resolve));
  const watch = await kv.watch({ initializedFn: finish });
  const timer = setTimeout(() => watch.stop(new Error(`${bucket} could not be read`)), READ_PATIENCE_MS);
  void complete.then(() => watch.stop());
  try {
    for await (const entry of watch) {
      if (entry.operation === 'PUT') content.set(entry.key, entry.string());
      else content.delete(entry.key);
    }
  } finally {
    clearTimeout(timer);
  }
  return content;
}

async function inBatches<T>(items: readonly T[], write: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += WRITES_AT_ONCE) {
    await Promise.all(items.slice(start, start + WRITES_AT_ONCE).map(write));
  }
}
