import type { LatestUsage, WalletPositionReply } from './live.dto';

/** What is known of a wallet at one look. */
export interface Look {
  readonly position: WalletPositionReply;
  /** Undefined before it was ever charged. */
  readonly usage: LatestUsage | undefined;
}

export interface FeedListener {
  position(position: WalletPositionReply): void;
  usage(usage: LatestUsage): void;
  /** Nobody could be asked. What is seen once somebody can is told anew, though nothing has changed. */
  away(): void;
}

/**
 * Looks at one wallet again and again while anybody listens, and tells what has changed. Who joins is told at once what was seen last.
 */
export class WalletFeed {
  private readonly listeners = new Set<FeedListener>();
  private timer: NodeJS.Timeout | undefined;
  private seen: { position: string; usage: string; look: Look } | undefined;
  private looking = false;

  /**
   * @param look rejects when nobody could be asked: it is tried again
   * @param everyMs from the end of one look to the next
   */
  constructor(
    private readonly look: () => Promise<Look>,
    private readonly everyMs: number,
  ) {}

  get isIdle(): boolean {
    return this.listeners.size === 0;
  }

  add(listener: FeedListener): void {
    this.listeners.add(listener);
    if (this.seen) {
      listener.position(this.seen.look.position);
      if (this.seen.look.usage) listener.usage(this.seen.look.usage);
    }
    void this.next();
  }

  remove(listener: FeedListener): void {
    this.listeners.delete(listener);
    if (this.isIdle) clearTimeout(this.timer);
  }

  /** One look at a time, and none that nobody waits for. */
  private async next(): Promise<void> {
    if (this.looking || this.isIdle) return;
    clearTimeout(this.timer);
    this.looking = true;
    try {
      this.tell(await this.look());
    } catch {
      // Billing is away: who listens asks for itself meanwhile, and says so.
      this.lose();
    } finally {
      this.looking = false;
    }
    if (!this.isIdle) this.timer = setTimeout(() => void this.next(), this.everyMs);
  }

  private lose(): void {
    if (!this.seen) return;
    this.seen = undefined;
    for (const listener of [...this.listeners]) listener.away();
  }

  private tell(look: Look): void {
    const position = JSON.stringify(look.position);
    const usage = JSON.stringify(look.usage ?? null);
    const before = this.seen;
    this.seen = { position, usage, look };
    for (const listener of [...this.listeners]) {
      if (position !== before?.position) listener.position(look.position);
      if (look.usage && usage !== before?.usage) listener.usage(look.usage);
    }
  }
}
