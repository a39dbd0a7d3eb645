import { RUN_CREDIT_BYTES, encodeFrame } from '@svc/contracts';
import type { FrameSubscriber, FrameType } from '@svc/contracts';
import type { ReplyLog } from './reply-log';
import { MAX_FRAME_BYTES } from './run-output';
import type { FrameSender } from './run-output';

/** One gateway's inbox that follows a shared reply, at its own pace: with sequence numbers and credit of its own. */
export class ReplySubscriber {
  private sequence = 0;
  /** As `keepHeard` last found it. */
  private heardSequence = 0;
  private creditBytes = RUN_CREDIT_BYTES;
  private position = 0;
  private activeMs = performance.now();
  private over = false;

  /** @param subject the inbox */
  constructor(
    readonly who: FrameSubscriber,
    private readonly subject: string,
    private readonly sender: FrameSender,
  ) {}

  /** It was told an end. */
  get isOver(): boolean {
    return this.over;
  }

  /** Nothing was sent to it. */
  get silent(): boolean {
    return this.sequence === 0;
  }

  /** Something of the reply was sent to it. */
  get served(): boolean {
    return this.position > 0;
  }

  /** For how long nothing was sent to it, and it has made no room. */
  idleMs(nowMs: number): number {
    return nowMs - this.activeMs;
  }

  /** Says that the run is being worked on, unless it has heard already. */
  accept(): void {
    if (this.silent) this.send('accepted', '');
  }

  /** Says that the run is still being worked on, where nothing else was sent since the last time. */
  keepHeard(): void {
    if (!this.over && this.sequence === this.heardSequence) this.send('accepted', '');
    this.heardSequence = this.sequence;
  }

  addCredit(bytes: number): void {
    this.creditBytes += bytes;
    this.activeMs = performance.now();
  }

  /** Sends what it has not got up to there, as far as it has room. */
  pump(log: ReplyLog, until: number): void {
    while (!this.over && this.position < until && this.creditBytes > 0) {
      this.sendData(log.slice(this.position, Math.min(until, this.position + MAX_FRAME_BYTES)));
    }
  }

  /** The reply is whole: what is missing goes as room is made, the last frame's worth without, as the end. */
  pumpEnd(log: ReplyLog): void {
    this.pump(log, log.length - MAX_FRAME_BYTES);
    if (!this.over && log.length - this.position <= MAX_FRAME_BYTES) this.end(log);
  }

  /** The reply is whole, and all that is missing goes in one frame. */
  end(log: ReplyLog): void {
    if (this.over) return;
    const rest = log.slice(this.position, log.length);
    this.position = log.length;
    this.send('end', rest);
    this.over = true;
  }

  /** @param payload the error */
  fail(payload: string): void {
    if (this.over) return;
    this.send('failure', payload);
    this.over = true;
  }

  /** Says that it failed in the place of the last frame, which may be lost: who got that one listens no more. */
  failInstead(payload: string): void {
    this.sequence = Math.max(0, this.sequence - 1);
    this.send('failure', payload);
    this.over = true;
  }

  private sendData(bytes: Buffer): void {
    this.send('data', bytes);
    this.position += bytes.length;
    this.creditBytes -= bytes.length;
  }

  private send(type: FrameType, payload: string | Uint8Array): void {
    const { publisher, instanceId } = this.sender;
    this.activeMs = performance.now();
    publisher.deliver(this.subject, encodeFrame({ type, sequence: this.sequence++, instanceId, payload }));
  }
}
