import type { Messaging } from '@svc/messaging';
import { eventually } from '@svc/testing';
import type { KV } from 'nats';
import { ViewBuckets } from './view-buckets.store';

const content = new Map(Array.from({ length: 1_000 }, (_, index) => [`key_${index}`, '{}']));

/** An empty bucket that takes writes when it is told to. */
class SlowBucket {
  begun = 0;
  private waiting: (() => void)[] = [];
  private broken: Error | undefined;

  readonly buckets = new ViewBuckets({
    connection: { jetstream: () => this.jetstream() },
  } as unknown as Messaging);

  /** Acknowledges, or refuses, what is under way. */
  answer(error?: Error): void {
    this.broken = error;
    for (const done of this.waiting.splice(0)) done();
  }

  private jetstream() {
    const config = {
      ...{ subjects: ['$KV.catalog_offers.>'], retention: 'limits', storage: 'file', discard: 'new' },
      ...{ max_msgs_per_subject: 1, max_msgs: -1, max_age: 0, max_bytes: -1 },
    };
    const streamInfo = { config, created: 'now', state: { last_seq: 0 } };
    const kv: Pick<KV, 'put'> & { status: () => Promise<unknown> } = {
      put: () => this.put(),
      status: () => Promise.resolve({ streamInfo }),
    };
    return { views: { kv: () => Promise.resolve(kv) } };
  }

  private async put(): Promise<number> {
    const revision = ++this.begun;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.broken) throw this.broken;
    return revision;
  }
}

async function underWay(bucket: SlowBucket, count: number): Promise<void> {
  await eventually(() => bucket.begun === count);
}

describe('ViewBuckets', () => {
  it('begins no write once the time is over', async () => {
    const bucket = new SlowBucket();
    const time = new AbortController();
    const replaced = bucket.buckets.replace('offers', content, { signal: time.signal });
    await underWay(bucket, 256);
    time.abort(new Error('the time is over'));
    bucket.answer();
    await expect(replaced).rejects.toThrow('the time is over');
    expect(bucket.begun).toBe(256);
  });

  it('begins no write once one has failed, and has none under way when it says so', async () => {
    const bucket = new SlowBucket();
    const replaced = bucket.buckets.replace('offers', content);
    await underWay(bucket, 256);
    bucket.answer(new Error('no acknowledgement'));
    await expect(replaced).rejects.toThrow('no acknowledgement');
    expect(bucket.begun).toBe(256);
  });
});
