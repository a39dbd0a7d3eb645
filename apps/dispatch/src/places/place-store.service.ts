import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { catalogKey } from '@svc/contracts';
import { MESSAGING, followConnection, isWrongRevision, openBucket } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { StorageType } from 'nats';
import type { KV, KvEntry } from 'nats';
import { formatHoldings, parseHoldings } from './holdings';
import type { Holdings, StoredHoldings } from './holdings';

/** One key an offer: who holds how many of its places. Dispatch alone knows of it. */
const PLACES_BUCKET = 'dispatch_places';

const TIMEOUT_MS = 1_000;
const RETRY_MS = 500;
/** How often it is looked whether the bucket is still the same one; well within what those who hold places have to claim them. */
const LOOK_MS = 800;
/** How long those who hold places in a bucket that was lost have to write them into the new one. */
const CLAIMING_MS = 2_000;
const NOBODY: StoredHoldings = { revision: 0, holdings: new Map() };

/** Who wants to know what becomes of the keys. */
export interface PlaceFollower {
  changed(offerId: string, stored: StoredHoldings): void;
  /** From here on the keys are read anew: what was known of them may not be so any more, and revisions may have begun anew. */
  lostTouch(): void;
  /** Every key that is there has been told of. */
  inTouchAgain(): void;
}

/** The bucket of places: read, written against a revision, followed. */
@Injectable()
export class PlaceStore {
  private bucket: Promise<KV> | undefined;
  private follower: PlaceFollower | undefined;
  private stopWatch: (() => void) | undefined;
  private stopped = false;
  private looking: NodeJS.Timeout | undefined;
  /** How often everything was to be read anew. */
  private beginnings = 0;
  /** Tells a bucket from one that was made in the place of it. */
  private createdAt: string | undefined;
  private claimingUntilMs = 0;

  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** The bucket was lost, and is being filled again: what is not in it may be held nonetheless. */
  get isBeingClaimed(): boolean {
    return performance.now() < this.claimingUntilMs;
  }

  /** @throws NatsError when JetStream does not answer; BucketDiffersError when the bucket was made otherwise */
  async read(offerId: string): Promise<StoredHoldings> {
    const bucket = await this.open();
    const entry = await this.orReopen(bucket.get(catalogKey(offerId)));
    return entry ? storedIn(entry) : NOBODY;
  }

  /**
   * Writes who holds what, if the key still stands at that revision.
   * @returns the new revision; undefined when the key has changed meanwhile
   * @throws NatsError when it is unknown whether it was written
   */
  async write(offerId: string, holdings: Holdings, revision: number): Promise<number | undefined> {
    const { createdAt } = this;
    const bucket = await this.open();
    // In another bucket the revision says nothing.
    if (createdAt !== this.createdAt) return undefined;
    try {
      return await this.orReopen(
        bucket.put(catalogKey(offerId), formatHoldings(holdings), { previousSeq: revision }),
      );
    } catch (error) {
      if (isWrongRevision(error)) return undefined;
      throw error;
    }
  }

  /** Follows every key until stopped; whatever ends the watch, it is begun again. */
  follow(follower: PlaceFollower): void {
    this.follower = follower;
    void this.keepWatching(follower);
    followConnection(this.messaging.connection, { onBack: () => this.watchAnew() });
    this.looking = setInterval(() => void this.lookForAnother(), LOOK_MS).unref();
  }

  /** What was known of the keys is not so any more: somebody has emptied the bucket, or put another one in its place. */
  beginAnew(): void {
    this.claimingUntilMs = performance.now() + CLAIMING_MS;
    this.readAnew();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.looking);
    this.stopWatch?.();
  }

  private async keepWatching(follower: PlaceFollower): Promise<void> {
    while (!this.stopped) {
      try {
        await this.watchOnce(follower);
      } catch {
        // JetStream is away: it mends itself.
      }
      if (!this.stopped) await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  private async watchOnce(follower: PlaceFollower): Promise<void> {
    const bucket = await this.open();
    const { beginnings } = this;
    if ((await this.orReopen(bucket.status())).values === 0) follower.inTouchAgain();
    const watch = await bucket.watch({ initializedFn: () => follower.inTouchAgain() });
    this.stopWatch = () => watch.stop();
    if (this.stopped || beginnings !== this.beginnings) watch.stop();
    for await (const entry of watch) {
      // What was told over the former connection, or of the former bucket, may be older than what is known.
      if (beginnings !== this.beginnings) break;
      follower.changed(offerIdOf(entry.key), storedIn(entry));
    }
  }

  /** A restarted server has forgotten its watchers, which nats.js notices only 10 to 15 s later. */
  private watchAnew(): void {
    if (this.stopped) return;
    this.bucket = undefined;
    this.readAnew();
  }

  private readAnew(): void {
    this.beginnings++;
    this.follower?.lostTouch();
    this.stopWatch?.();
  }

  /**
   * An operator may remove the bucket while NATS is there all the time. A watch notices that late, and whoever has what it needs neither
   * reads nor writes: it would hold what others take in the new bucket.
   */
  private async lookForAnother(): Promise<void> {
    if (this.createdAt === undefined) return;
    try {
      const bucket = await this.open();
      const { created } = (await this.orReopen(bucket.status())).streamInfo;
      if (created !== this.createdAt) this.bucket = undefined;
    } catch {
      // It is looked for, and made, below; unless JetStream is away, which mends itself.
    }
    if (!this.bucket) await this.open().catch(() => undefined);
  }

  private async open(): Promise<KV> {
    this.bucket ??= this.bind();
    return this.orReopen(this.bucket);
  }

  /** Opens the bucket; makes it when there is none. */
  private async bind(): Promise<KV> {
    const { connection } = this.messaging;
    const bucket = await openBucket(connection.jetstream({ timeout: TIMEOUT_MS }), PLACES_BUCKET, {
      history: 1,
      storage: StorageType.File,
      // Reads come from the stream's leader: it has every write.
      allow_direct: false,
      timeout: TIMEOUT_MS,
    });
    const { created } = (await bucket.status()).streamInfo;
    const before = this.createdAt;
    this.createdAt = created;
    if (before !== undefined && before !== created) this.beginAnew();
    return bucket;
  }

  /** Whatever went wrong, the bucket may be gone: next time it is looked for, and made. */
  private async orReopen<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!isWrongRevision(error)) this.bucket = undefined;
      throw error;
    }
  }
}

function storedIn(entry: KvEntry): StoredHoldings {
  const { operation, revision } = entry;
  if (operation !== 'PUT') return { ...NOBODY, revision };
  const holdings = parseHoldings(entry.string());
  return holdings ? { revision, holdings } : { ...NOBODY, revision, isForeign: true };
}

/** The inverse of `catalogKey`. */
function offerIdOf(key: string): string {
  return Buffer.from(key, 'base64url').toString('utf8');
}
