import type { FrameSubscriber } from '@svc/contracts';
import { ResponseCipher } from '@svc/response-cipher';
import type { EventSink } from '../validation/chunk-writer';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { FramePace } from './frame-pace';
import { GatheredEvents } from './gathered-events';
import { ReplyLog } from './reply-log';
import { ReplySubscriber } from './reply-subscriber';
import { END_DOUBTFUL_MS, FRAME_HEADER_BYTES } from './run-output';
import type { FrameSender, ReplyOutput } from './run-output';

/**
 * The reply of an idempotent run: kept whole, for any number of subscribers, each from the first byte and at its own pace.
 * None of them slows the run or another. What is written last is seen by nobody before it is charged: `seal`, then `end`.
 */
export class SharedOutput implements ReplyOutput {
  /** Nobody's pace is the run's. */
  readonly blocked = false;
  private readonly subscribers = new Map<string, ReplySubscriber>();
  private readonly log = new ReplyLog();
  private readonly pending = new GatheredEvents();
  /** How much of the log may be seen. */
  private visible = 0;
  private readonly pace: FramePace;
  private sentData = false;
  private state: 'open' | 'ended' | 'failed' = 'open';
  private failure = '';

  /** @param streamed the client wants events; else the whole reply goes in one frame */
  constructor(
    private readonly streamed: boolean,
    private readonly sender: FrameSender,
  ) {
    this.pace = new FramePace(sender.clock, () => this.flush());
  }

  get silent(): boolean {
    return this.all.every(({ silent }) => silent);
  }

  /** Somebody was sent something of the reply: from here on no other provider can be asked unseen. */
  get delivered(): boolean {
    return this.sentData;
  }

  /** Bytes kept. */
  get length(): number {
    return this.log.length;
  }

  get keptBytes(): number {
    return this.log.length + this.pending.length;
  }

  /** It was told as a success. */
  get ended(): boolean {
    return this.state === 'ended';
  }

  /** Everybody who followed it and has not left. */
  get subscriberIds(): string[] {
    return [...this.subscribers.keys()];
  }

  /** Whether somebody still has to get the rest and has shown life within that time. */
  isAwaited(patienceMs: number): boolean {
    const nowMs = performance.now();
    for (const subscriber of this.subscribers.values()) {
      if (!subscriber.isOver && subscriber.idleMs(nowMs) < patienceMs) return true;
    }
    return false;
  }

  /** From the first byte on. @param subject the gateway's inbox */
  subscribe(who: FrameSubscriber, subject: string): void {
    const subscriber = new ReplySubscriber(who, subject, this.sender);
    this.subscribers.set(who.subscriberId, subscriber);
    if (this.state === 'failed') return subscriber.fail(this.failure);
    this.pump(subscriber);
  }

  unsubscribe(subscriberId: string): void {
    this.subscribers.delete(subscriberId);
  }

  /** A gateway is gone; should it only have stood still, its clients are told. @param payload the error */
  dropGateway(gatewayId: string, payload: string): void {
    for (const subscriber of this.all) if (subscriber.who.gatewayId === gatewayId) subscriber.fail(payload);
  }

  /** Whoever has yet to get the rest gets no more of it. @param payload the error */
  dropSubscribers(payload: string): void {
    for (const subscriber of this.all) subscriber.fail(payload);
  }

  /** A subscriber has room for this many more bytes. */
  addCredit(subscriberId: string, bytes: number): void {
    const subscriber = this.subscribers.get(subscriberId);
    if (!subscriber) return;
    subscriber.addCredit(bytes);
    this.pump(subscriber);
  }

  /** @throws InvalidReplyError undeliverable: the provider may write that much, but we do not keep it */
  readonly write: EventSink = (text, shell) => {
    this.pending.add(text, shell);
    if (this.log.length + this.pending.length > ResponseCipher.MAX_BYTES)
      throw new InvalidReplyError('undeliverable');
  };

  flushSoon(): void {
    if (this.pending.length === 0 || this.state !== 'open') return;
    this.pace.flushSoon(this.pending.length);
  }

  rest(readOn: () => void): boolean {
    const hasBegun = this.visible > 0 || this.pending.length > 0;
    return hasBegun && this.state === 'open' && this.pace.rest(readOn);
  }

  /** The next provider begins anew. */
  discard(): void {
    this.pending.clear();
    this.pace.stop();
    if (this.sentData) return;
    this.log.clear();
    this.visible = 0;
    this.pace.restart();
  }

  accept(): void {
    for (const subscriber of this.all) subscriber.accept();
  }

  keepHeard(): void {
    for (const subscriber of this.all) subscriber.keepHeard();
  }

  fits(bytes: number): boolean {
    const whole = this.log.length + this.pending.bytes + bytes;
    if (whole > ResponseCipher.MAX_BYTES) return false;
    return this.streamed || bytes + FRAME_HEADER_BYTES <= this.sender.maxPayloadBytes();
  }

  /**
   * Nothing more will be written after this.
   * @param payload follows what was written
   * @returns the whole reply, of which nobody sees the end before `end`; undefined when it is too large to be kept
   */
  seal(payload: string): Buffer | undefined {
    this.pace.stop();
    this.log.append(Buffer.from(this.pending.toString() + payload));
    this.pending.clear();
    if (this.log.length > ResponseCipher.MAX_BYTES) return undefined;
    return this.log.slice(0, this.log.length);
  }

  /** The run succeeded: what was sealed goes to everybody. */
  end(): void {
    this.state = 'ended';
    for (const subscriber of this.all) this.pump(subscriber);
  }

  fail(payload: string): void {
    this.pace.stop();
    this.pending.clear();
    this.state = 'failed';
    this.failure = payload;
    for (const subscriber of this.all) subscriber.fail(payload);
  }

  /**
   * The link to NATS was lost and is back: whoever followed the reply, or was told an end shortly before, may have missed
   * something, and cannot be sent it again in its place. They are told a failure, and can attach anew.
   */
  failSubscribers(payload: string): void {
    const nowMs = performance.now();
    for (const subscriber of this.all) {
      if (!subscriber.isOver) subscriber.fail(payload);
      else if (subscriber.idleMs(nowMs) < END_DOUBTFUL_MS) subscriber.failInstead(payload);
    }
  }

  private get all(): ReplySubscriber[] {
    return [...this.subscribers.values()];
  }

  private flush(): void {
    this.pace.stop();
    if (this.pending.length === 0) return;
    this.log.append(Buffer.from(this.pending.toString()));
    this.pending.clear();
    this.visible = this.log.length;
    this.pace.sent(performance.now());
    for (const subscriber of this.all) this.pump(subscriber);
  }

  private pump(subscriber: ReplySubscriber): void {
    if (this.state !== 'ended') subscriber.pump(this.log, this.visible);
    else if (this.streamed) subscriber.pumpEnd(this.log);
    else subscriber.end(this.log);
    this.sentData ||= subscriber.served;
  }
}
