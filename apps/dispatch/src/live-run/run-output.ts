import { RUN_CREDIT_BYTES, encodeFrame } from '@svc/contracts';
import type { FrameType, PackedEvents } from '@svc/contracts';
import type { TurnPublisher } from '@svc/messaging';
import type { AttemptOutput } from '../attempt/attempt';
import type { EventSink } from '../validation/chunk-writer';
import type { FrameClock } from './frame-clock';
import { FramePace } from './frame-pace';
import { GatheredEvents } from './gathered-events';

/** What all runs' frames have in common. */
export interface FrameSender {
  publisher: TurnPublisher;
  instanceId: string;
  /** The largest message that NATS takes. */
  maxPayloadBytes: () => number;
  clock: FrameClock;
}

/** In which form a gateway is sent a reply. */
interface ReplyForm {
  /** The client wants events; else the whole reply goes in one frame. */
  streamed: boolean;
  /** The gateway takes frames with packed events. */
  mayPack?: boolean;
}

/** Where the reply of a run goes, and what became of it is told. */
export interface ReplyOutput extends AttemptOutput {
  /** No frame was sent yet. */
  readonly silent: boolean;
  /** Something of the reply has left: from here on no other provider can be asked unseen. */
  readonly delivered: boolean;
  /** Adds events. Nothing is sent before `flushSoon`. */
  readonly write: EventSink;
  /** Drops what was written and not sent: the next provider begins anew. */
  discard(): void;
  /** Says that the run is being worked on. */
  accept(): void;
  /** Called periodically: says that the run is still being worked on, where nothing else was sent since the last time. */
  keepHeard(): void;
  /** Whether the rest of a reply can be handed on, `bytes` bytes: of a plain reply the body. */
  fits(bytes: number): boolean;
  /** The run failed; `payload` is the error. */
  fail(payload: string): void;
}

/** Larger frames would hold up those of other runs on the same connection. */
export const MAX_FRAME_BYTES = 128 * 1024;
/** More than a frame's header takes. */
export const FRAME_HEADER_BYTES = 64;
/**
 * For how long the end that somebody was told may turn out to have been lost. Over a link that is away longer, gateways miss this process's
 * signs of life and give its runs up by themselves.
 */
export const END_DOUBTFUL_MS = 10_000;

/**
 * The way of one run's frames to its gateway: numbers them, gathers small chunks into one frame, and counts what the gateway
 * has not yet made room for. The first frame goes at once, and so does one after a silence.
 */
export class RunOutput implements ReplyOutput {
  private readonly pending = new GatheredEvents();
  private sequence = 0;
  /** As `keepHeard` last found it. */
  private heardSequence = 0;
  private creditBytes = RUN_CREDIT_BYTES;
  /** When the last of the credit was used up, or the last came that was not enough; undefined while there is some. */
  private blockedSinceMs: number | undefined;
  private readonly pace: FramePace;
  private sentData = false;
  private closed = false;
  private failure: string | undefined;

  /**
   * @param subject the gateway's inbox for this run
   */
  constructor(
    private readonly subject: string,
    private readonly form: ReplyForm,
    private readonly sender: FrameSender,
  ) {
    this.pace = new FramePace(sender.clock, () => this.flush());
  }

  get silent(): boolean {
    return this.sequence === 0;
  }

  get delivered(): boolean {
    return this.sentData;
  }

  get blocked(): boolean {
    return this.creditBytes <= 0;
  }

  /** For how long the gateway has made no room though it has none left. */
  blockedMs(nowMs: number): number {
    return this.blockedSinceMs === undefined ? 0 : nowMs - this.blockedSinceMs;
  }

  readonly write = this.pending.add;

  flushSoon(): void {
    if (this.pending.length === 0 || this.blocked || this.closed) return;
    this.pace.flushSoon(this.pending.length);
  }

  rest(readOn: () => void): boolean {
    // Nothing rests that nobody has seen anything of.
    const hasBegun = this.sentData || this.pending.length > 0;
    return hasBegun && !this.closed && this.pace.rest(readOn);
  }

  discard(): void {
    this.pending.clear();
    this.pace.stop();
  }

  /** The gateway has room for this many more bytes. */
  addCredit(bytes: number): void {
    this.creditBytes += bytes;
    // Where that is not enough it has made some room all the same: the time begins anew.
    this.blockedSinceMs = this.blocked ? performance.now() : undefined;
    this.flushSoon();
  }

  accept(): void {
    this.send('accepted', '');
  }

  keepHeard(): void {
    if (this.sequence === this.heardSequence) this.accept();
    this.heardSequence = this.sequence;
  }

  fits(bytes: number): boolean {
    // A plain reply goes in one frame.
    return this.form.streamed || bytes + FRAME_HEADER_BYTES <= this.sender.maxPayloadBytes();
  }

  /** The run succeeded; `payload` follows what was written. */
  end(payload: string): void {
    // What is pending here is one read's worth, or a reply that was held: it goes even without credit.
    const isEvents = this.sentData || this.pending.length > 0;
    this.pending.add(payload);
    const packed = this.pack()?.packed;
    const last = packed ?? Buffer.from(this.pending.toString());
    const cut = isEvents && !packed ? Math.max(0, last.length - MAX_FRAME_BYTES) : 0;
    this.discard();
    if (cut > 0) this.sendData(last.subarray(0, cut));
    this.send('end', last.subarray(cut), packed !== undefined);
    this.closed = true;
  }

  fail(payload: string): void {
    this.discard();
    this.failure = payload;
    this.send('failure', payload);
    this.closed = true;
  }

  /**
   * Says that the run failed, in the place of its last frame, which may be lost: a gateway that got it listens no more, one
   * that did not sees no gap.
   * @param payload the error of a run that has not failed yet
   */
  failInstead(payload: string): void {
    this.closed = false;
    this.sequence = Math.max(0, this.sequence - 1);
    this.fail(this.failure ?? payload);
  }

  /** Sends what was written, also without credit: who pays for it gets it. */
  flushRest(): void {
    this.pace.stop();
    if (this.pending.length > 0 && !this.closed) this.sendPending();
  }

  private flush(): void {
    if (!this.blocked) return this.flushRest();
    this.pace.stop();
  }

  private sendPending(): void {
    const events = this.pack();
    if (events) this.sendPacked(events);
    else this.sendData(Buffer.from(this.pending.toString()));
    this.pending.clear();
  }

  private pack(): PackedEvents | undefined {
    return this.form.mayPack ? this.pending.pack(MAX_FRAME_BYTES) : undefined;
  }

  private sendPacked({ packed, bytes }: PackedEvents): void {
    this.send('data', packed, true);
    this.noteSent(bytes);
  }

  private sendData(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += MAX_FRAME_BYTES) {
      this.send('data', bytes.subarray(start, start + MAX_FRAME_BYTES));
    }
    this.noteSent(bytes.length);
  }

  /** @param bytes as many as the client gets */
  private noteSent(bytes: number): void {
    this.creditBytes -= bytes;
    this.sentData = true;
    const nowMs = performance.now();
    this.pace.sent(nowMs);
    if (this.blocked) this.blockedSinceMs = nowMs;
  }

  private send(type: FrameType, payload: string | Uint8Array, isPacked = false): void {
    if (this.closed) return;
    const { publisher, instanceId } = this.sender;
    const frame = { type, sequence: this.sequence++, instanceId, payload, isPacked };
    publisher.deliver(this.subject, encodeFrame(frame));
  }
}
