import { Inject, Injectable } from '@nestjs/common';
import { CATALOG_BUCKETS } from '@svc/contracts';
import { MESSAGING, openBucket } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { KV } from 'nats';
import { readEntries } from './read-entries';
import type { BucketContent } from './published-views';

type View = keyof typeof CATALOG_BUCKETS;

/** How many writes may wait for their acknowledgement at once. */
const WRITES_AT_ONCE = 256;
/** Readers that were away for less hear from its mark that a key is gone, and need not wait whether it comes back. */
const MARKS_STAY_MS = 86_400_000;
/** How many marks are removed at a time: the next publication waits for it. */
const MOST_MARKS = 256;

export interface ReplaceOptions {
  /** Reads the whole bucket instead of what came since the last time. */
  fromScratch?: boolean;
  /** When it is aborted, no further write begins. */
  signal?: AbortSignal;
}

/** How many entries a replacement wrote and removed. */
interface Replaced {
  put: number;
  deleted: number;
}

/** What a key that was removed leaves in its place, for good unless it is removed as well. */
interface Mark {
  readonly key: string;
  readonly revision: number;
  readonly madeAt: Date;
}

/** What a bucket holds after its last entry, number `revision`; of a bucket that was made at `created`. */
interface KnownContent {
  readonly content: Map<string, string>;
  created: string;
  revision: number;
}

/**
 * The JetStream KV buckets of the published views. What a bucket holds is kept in memory together with the number of its last entry:
 * while that number stands, nobody else has written; if it has grown, what came since is read.
 */
@Injectable()
export class ViewBuckets {
  private readonly known = new Map<View, KnownContent>();
  /** Those that were seen when a bucket was last read whole. */
  private readonly marks = new Map<View, Mark[]>();

  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /**
   * Makes a bucket hold exactly `content`, touching only what differs from what it holds now. The bucket is created when it is not
   * there (the first start, or storage that was lost).
   * @throws NatsError when NATS is away or does not acknowledge a write, and the signal's reason when it is aborted: part of the
   *   changes may have been made, and no write is under way any more; BucketDiffersError when it was made otherwise
   */
  async replace(view: View, content: BucketContent, options: ReplaceOptions = {}): Promise<Replaced> {
    const { signal } = options;
    // Bound anew each time: it is what creates a bucket that was lost.
    const kv = await openBucket(this.messaging.connection.jetstream(), CATALOG_BUCKETS[view], { history: 1 });
    const before = options.fromScratch ? undefined : this.known.get(view);
    // Until this one has succeeded, nothing is known for certain.
    this.known.delete(view);
    const { content: present, marks } = await currentContent(kv, before);
    if (marks) this.marks.set(view, marks);
    const changed = [...content].filter(([key, value]) => present.content.get(key) !== value);
    const gone = [...present.content.keys()].filter((key) => !content.has(key));
    const expected = present.revision + changed.length + gone.length;
    await atOnce(changed, signal, async ([key, value]) => {
      present.revision = Math.max(present.revision, await kv.put(key, value));
      present.content.set(key, value);
    });
    await atOnce(gone, signal, (key) => kv.delete(key));
    for (const key of gone) present.content.delete(key);
    if (gone.length > 0) present.revision = (await kv.status()).streamInfo.state.last_seq;
    // More entries than were written here: somebody else has, and the next time everything is read.
    if (present.revision === expected) this.known.set(view, present);
    return { put: changed.length, deleted: gone.length };
  }

  /**
   * Removes marks that are older than `ageMs`, of those that the last replacement from scratch has seen: some of them, and the rest
   * after the next.
   * @returns how many
   * @throws NatsError when NATS is away, or the right to purge is missing
   */
  async removeMarks(view: View, ageMs = MARKS_STAY_MS): Promise<number> {
    const latest = Date.now() - ageMs;
    const old = (this.marks.get(view) ?? []).filter(({ madeAt }) => madeAt.getTime() <= latest);
    this.marks.delete(view);
    if (old.length === 0) return 0;
    const bucket = CATALOG_BUCKETS[view];
    const manager = await this.messaging.connection.jetstreamManager({ checkAPI: false });
    let removed = 0;
    // One after the other: whoever may not is told so once.
    for (const { key, revision } of old.slice(0, MOST_MARKS)) {
      // Up to the mark and no further: the key may have been written again.
      const filter = `$KV.${bucket}.${key}`;
      removed += (await manager.streams.purge(`KV_${bucket}`, { filter, seq: revision + 1 })).purged;
    }
    return removed;
  }
}

/**
 * @param before what was known of it, and may be so no more
 * @returns also the marks in it, when it was read whole
 */
async function currentContent(
  kv: KV,
  before: KnownContent | undefined,
): Promise<{ content: KnownContent; marks?: Mark[] }> {
  const { created, state } = (await kv.status()).streamInfo;
  const isSame = before?.created === created && before.revision <= state.last_seq;
  const content = isSame ? before : { content: new Map<string, string>(), created, revision: 0 };
  const marks: Mark[] = [];
  if (content.revision < state.last_seq) {
    for (const entry of await readEntries(kv, content.revision)) {
      if (entry.operation === 'PUT') content.content.set(entry.key, entry.string());
      else {
        content.content.delete(entry.key);
        marks.push({ key: entry.key, revision: entry.revision, madeAt: entry.created });
      }
      content.revision = Math.max(content.revision, entry.revision);
    }
    content.revision = Math.max(content.revision, state.last_seq);
  }
  return isSame ? { content } : { content, marks };
}

/**
 * Has a number of writes wait at once, and the next begin as soon as one is acknowledged. Once one has failed, or the signal is
 * aborted, none begins any more; rejects when those under way are over.
 */
async function atOnce<T>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  write: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const lane = async () => {
    for (const item of rest) {
      if (failures.length > 0) return;
      signal?.throwIfAborted();
      await write(item);
    }
  };
  const guarded = () => lane().catch((error: unknown) => failures.push(error));
  await Promise.all(Array.from({ length: Math.min(WRITES_AT_ONCE, items.length) }, guarded));
  if (failures.length > 0) throw failures[0];
}
