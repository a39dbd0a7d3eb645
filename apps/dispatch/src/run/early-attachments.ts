import type { FrameSubscriber } from '@svc/contracts';

/** As long as a gateway waits for an answer. */
const WAIT_MS = 1_000;
const MAX_WAITING = 20_000;

/** Who wants to follow a run, and where its frames are to go. */
interface Attachment {
  who: FrameSubscriber;
  subject: string;
}

interface Waiting extends Attachment {
  holdId: string;
  sinceMs: number;
}

/** Those who ask for a run before the message that starts it has come: they wait for it, a moment. */
export class EarlyAttachments {
  /** The first first. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly byHold = new Map<string, Set<string>>();

  add(holdId: string, { who, subject }: Attachment): void {
    if (this.waiting.size >= MAX_WAITING) return;
    this.waiting.set(who.subscriberId, { who, subject, holdId, sinceMs: performance.now() });
    const others = this.byHold.get(holdId);
    if (others) others.add(who.subscriberId);
    else this.byHold.set(holdId, new Set([who.subscriberId]));
  }

  /** Those who wait for this run, who do not from here on. */
  take(holdId: string): Attachment[] {
    const taken: Attachment[] = [];
    for (const subscriberId of this.byHold.get(holdId) ?? []) {
      const attachment = this.waiting.get(subscriberId);
      this.waiting.delete(subscriberId);
      if (attachment) taken.push(attachment);
    }
    this.byHold.delete(holdId);
    return taken;
  }

  remove(subscriberId: string): void {
    const attachment = this.waiting.get(subscriberId);
    if (!attachment) return;
    this.waiting.delete(subscriberId);
    const others = this.byHold.get(attachment.holdId);
    others?.delete(subscriberId);
    if (others?.size === 0) this.byHold.delete(attachment.holdId);
  }

  /** Forgets those whose gateway waits no more. */
  sweep(nowMs: number): void {
    for (const [subscriberId, { sinceMs }] of this.waiting) {
      if (nowMs - sinceMs < WAIT_MS) return;
      this.remove(subscriberId);
    }
  }
}
