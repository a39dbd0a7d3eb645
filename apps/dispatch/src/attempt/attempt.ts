import type { Endpoint } from '../provider-client/endpoint';
import type { ProviderClient } from '../provider-client/provider-client.service';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { invalid, unavailable } from '../provider-client/provider-failure';
import { UpstreamCall } from '../provider-client/upstream-call';
import type { CallTrace, UpstreamListener } from '../provider-client/upstream-call';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { ProviderErrorEvent } from '../validation/stream-reply';
import { CrowdedOutError } from '../validation/turns';
import type { WholeReply } from '../validation/whole-reply';
import { ReplyClock } from './reply-clock';
import type { OverdueReason, Patience } from './reply-clock';
import type { ReplyHolder, ReplyMemory } from './reply-memory.service';
import type { ReplyReader } from './reply-readers';

/** Where the bytes for the client gather. */
export interface AttemptOutput {
  /** The client's side takes no more for now. */
  readonly blocked: boolean;
  /** Bytes of the reply that stay here, about, however fast they are read; undefined where none do. */
  readonly keptBytes?: number;
  /** What was written so far may go. */
  flushSoon(): void;
  /**
   * Where text would have to wait for more: what was written goes at once, and what comes next is to be left unread for a while.
   * @param readOn called when that time is over
   * @returns false, and has done nothing, where text may go at any time
   */
  rest?(readOn: () => void): boolean;
}

/** One provider to be asked. */
interface AttemptJob {
  target: Endpoint;
  /** Sent, and not kept: it may be megabytes, and the reply may take an hour. */
  body: string;
  patience: Patience;
  output: AttemptOutput;
  /** Sees what comes, as it comes. */
  trace?: CallTrace;
  /** @returns undefined for a content type that is no reply */
  readerFor(contentType: string): ReplyReader | undefined;
  /** The provider has said its first word. */
  onFirstToken?(attempt: Attempt): void;
  /** It has said something: more than what only keeps the connection open. */
  onProgress?(): void;
  /** Its connection was lost after a time in which the client's side took nothing: that is held against nobody but the client. */
  onSlowReader?(): void;
}

export type AttemptOutcome =
  | { kind: 'served'; reply: WholeReply; firstTokenMs: number; totalMs: number; wasPaused: boolean }
  | { kind: 'failed'; failure: ProviderFailure }
  | { kind: 'stopped'; passedOnBytes: number; firstTokenMs: number | undefined; totalMs: number };

/** Few replies are large enough to be noted at all. */
const NOTED_STEP_BYTES = 16 * 1024;

/** One call to one provider, from the request to a checked reply, a failure, or a stop from outside. */
export class Attempt implements UpstreamListener, ReplyHolder {
  readonly outcome: Promise<AttemptOutcome>;
  private resolve!: (outcome: AttemptOutcome) => void;
  private reject!: (bug: unknown) => void;
  private readonly job: Omit<AttemptJob, 'target' | 'body'>;
  private readonly call: UpstreamCall;
  private readonly clock: ReplyClock;
  private reader: ReplyReader | undefined;
  private progress = 0;
  private notedBytes = 0;
  /** The pieces that a read of the connection has brought so far. */
  private fresh: Buffer[] = [];
  private resting = false;
  private paused = false;
  /** Nothing more is read. */
  private readingOver = false;
  private over = false;

  constructor(
    client: ProviderClient,
    private readonly memory: ReplyMemory,
    { target, body, ...job }: AttemptJob,
  ) {
    this.job = job;
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.call = new UpstreamCall(this, job.trace);
    this.clock = new ReplyClock(job.patience, this.readOn, (reason) => this.onOverdue(reason));
    client.post(target, body, this.call);
  }

  /** After the request; undefined before the first token. */
  get firstTokenMs(): number | undefined {
    return this.clock.firstTokenMs;
  }

  /** Since the request. */
  get elapsedMs(): number {
    return this.clock.elapsedMs;
  }

  /** It has an outcome. */
  get isOver(): boolean {
    return this.over;
  }

  /** Nobody wants the reply any more. */
  stop(): void {
    if (this.over) return;
    this.call.abort();
    const { firstTokenMs, elapsedMs: totalMs } = this.clock;
    this.finish({ kind: 'stopped', passedOnBytes: this.reader?.passedOnBytes ?? 0, firstTokenMs, totalMs });
  }

  /** The client's side takes more again. */
  resume(): void {
    if (this.readingOver || !this.paused) return;
    this.paused = false;
    this.clock.resume();
    this.call.resume();
  }

  crowdOut(): void {
    this.fail(unavailable('crowded_out'));
  }

  onHead(contentType: string): void {
    this.reader = this.job.readerFor(contentType);
    if (!this.reader) this.fail(invalid('content_type'));
  }

  onData(bytes: Buffer): void {
    if (this.readingOver || !this.reader) return;
    // One read may hold many pieces: this comes after the last.
    if (this.fresh.push(bytes) === 1) queueMicrotask(this.onRead);
  }

  onEnd(isMarked: boolean): void {
    if (this.takeFresh()) this.conclude(!isMarked);
  }

  onFailure(failure: ProviderFailure): void {
    if (!this.takeFresh()) return;
    if (failure.reason === 'connection_lost') {
      // All that was missing was the end.
      if (this.reader?.finished) return this.conclude();
      this.blameReader();
      if (this.over) return;
    }
    // The call has ended, or drains what is left: there is nothing to abort.
    this.finish({ kind: 'failed', failure });
  }

  /** Whoever asked may stop the attempt for it. */
  private blameReader(): void {
    if (this.clock.wasPausedLong) this.job.onSlowReader?.();
  }

  private readonly onRead = (): void => {
    if (this.fresh.length > 0 && this.takeFresh()) this.passOn();
  };

  /**
   * Reads what has come. It is judged before anything of it leaves: a reply that came at once and is invalid is replaced unseen. What one
   * read has brought is judged as one text, also what stands behind the end of the reply in it.
   * @returns whether the attempt goes on
   */
  private takeFresh(): boolean {
    const { reader, fresh } = this;
    if (this.readingOver) return false;
    if (!reader || fresh.length === 0) return true;
    this.fresh = [];
    try {
      const more = reader.take(
        fresh.length === 1 ? (fresh[0] as Buffer) : Buffer.concat(fresh),
        fresh.length,
      );
      this.noteProgress(reader);
      // Whoever wanted no more than the first token has stopped the attempt: nothing noted now would ever be released.
      if (!this.readingOver) this.noteMemory(reader);
      // The largest may have been crowded out, and that may be this one.
      if (!this.readingOver && !more) this.conclude();
    } catch (error) {
      this.breakOff(error);
    }
    return !this.readingOver;
  }

  private passOn(): void {
    const { output } = this.job;
    if (this.mayRest && output.rest?.(this.readOn)) {
      this.resting = true;
      this.call.rest();
    } else {
      output.flushSoon();
    }
    if (output.blocked) this.pause();
  }

  /** With the finish reason the end is near, and is not to wait. */
  private get mayRest(): boolean {
    return !this.resting && !this.reader?.finished;
  }

  private readonly readOn = (): void => {
    this.resting = false;
    if (!this.readingOver) this.call.wake();
  };

  private noteProgress(reader: ReplyReader): void {
    const { progress } = reader;
    if (progress === this.progress) return;
    const isFirst = this.progress === 0;
    this.progress = progress;
    this.clock.noteProgress();
    if (reader.finished) this.clock.noteFinished();
    this.job.onProgress?.();
    if (isFirst) this.job.onFirstToken?.(this);
  }

  private noteMemory(reader: ReplyReader): void {
    const heldBytes = reader.heldBytes + (this.job.output.keptBytes ?? 0);
    if (Math.abs(heldBytes - this.notedBytes) < NOTED_STEP_BYTES) return;
    this.notedBytes = heldBytes;
    this.memory.note(this, heldBytes);
  }

  private onOverdue(reason: OverdueReason): void {
    // All that was missing was the end.
    if (this.reader?.finished) return this.conclude();
    this.fail(unavailable(reason));
  }

  private pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.clock.pause();
    this.call.pause();
  }

  /** @param mayBeCut the connection has ended without a mark of the end: only what the reply holds can show that it is whole */
  private conclude(mayBeCut = false): void {
    const { reader } = this;
    if (!reader) return this.fail(unavailable('connection_lost'));
    this.endReading();
    this.call.leave();
    void this.judge(reader, mayBeCut);
  }

  /** What it is held against may take its time, of which the provider knows nothing; the attempt may be stopped meanwhile. */
  private async judge(reader: ReplyReader, mayBeCut: boolean): Promise<void> {
    const { elapsedMs: totalMs, firstTokenMs = totalMs, wasPaused } = this.clock;
    try {
      const reply = await reader.conclude();
      if (!this.over) this.finish({ kind: 'served', reply, firstTokenMs, totalMs, wasPaused });
    } catch (error) {
      if (this.over) return;
      const isCut = mayBeCut && InvalidReplyError.is(error) && reader.isCutBy(error);
      if (!isCut) return this.breakOff(error);
      this.blameReader();
      this.fail(unavailable('connection_lost'));
    }
  }

  private breakOff(error: unknown): void {
    if (InvalidReplyError.is(error)) return this.fail(invalid(error.reason));
    if (error instanceof CrowdedOutError) return this.crowdOut();
    if (error instanceof ProviderErrorEvent) return this.fail(unavailable('error_event'));
    // A bug of ours, not the provider's failure: whoever waits for the outcome hears of it.
    this.call.abort();
    this.end();
    this.reject(error);
  }

  private fail(failure: ProviderFailure): void {
    if (this.over) return;
    // Whatever the provider still does for this request is in vain: it is told by the closed connection.
    this.call.abort();
    this.finish({ kind: 'failed', failure });
  }

  private finish(outcome: AttemptOutcome): void {
    this.end();
    this.resolve(outcome);
  }

  private endReading(): void {
    this.readingOver = true;
    this.fresh = [];
    this.clock.stop();
  }

  private end(): void {
    this.over = true;
    this.endReading();
    if (this.notedBytes > 0) this.memory.release(this);
  }
}
