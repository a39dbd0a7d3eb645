import type { ProviderClient } from '../provider-client/provider-client.service';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { invalid, unavailable } from '../provider-client/provider-failure';
import { UpstreamCall } from '../provider-client/upstream-call';
import type { UpstreamListener } from '../provider-client/upstream-call';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { ProviderErrorEvent } from '../validation/stream-reply';
import type { WholeReply } from '../validation/whole-reply';
import type { Endpoint } from '../provider-client/endpoint';
import type { ReplyReader } from './reply-readers';

/** Where the bytes for the client gather. */
export interface AttemptOutput {
  /** The client's side takes no more for now. */
  readonly blocked: boolean;
  /** What was written so far may go. */
  flushSoon(): void;
}

/** One offer to be tried. */
export interface AttemptJob {
  target: Endpoint;
  body: string;
  /** How long the first token may take, and the silence after it. */
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
  output: AttemptOutput;
  /** @returns undefined for a content type that is no reply */
  readerFor(contentType: string): ReplyReader | undefined;
}

export type AttemptOutcome =
  | { kind: 'served'; reply: WholeReply; firstTokenMs: number; totalMs: number; wasPaused: boolean }
  | { kind: 'failed'; failure: ProviderFailure }
  | { kind: 'stopped'; outputBytes: number };

/** One call to one provider, from the request to a checked reply, a failure, or a stop from outside. */
export class Attempt implements UpstreamListener {
  readonly outcome: Promise<AttemptOutcome>;
  private resolve!: (outcome: AttemptOutcome) => void;
  private reject!: (bug: unknown) => void;
  private readonly startedMs = performance.now();
  private readonly call = new UpstreamCall(this);
  private reader: ReplyReader | undefined;
  private timer: NodeJS.Timeout;
  private progress = 0;
  private firstTokenMs = 0;
  private paused = false;
  private wasPaused = false;
  private over = false;

  constructor(
    client: ProviderClient,
    private readonly job: AttemptJob,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.fail(unavailable('first_token_timeout')), job.firstTokenTimeoutMs);
    client.post(job.target, job.body, this.call);
  }

  /** Nobody wants the reply any more. */
  stop(): void {
    if (this.over) return;
    this.call.abort();
    this.finish({ kind: 'stopped', outputBytes: this.reader?.outputBytes ?? 0 });
  }

  /** The client's side takes more again. */
  resume(): void {
    if (this.over || !this.paused) return;
    this.paused = false;
    this.timer.refresh();
    this.call.resume();
  }

  onHead(contentType: string): void {
    this.reader = this.job.readerFor(contentType);
    if (!this.reader) this.fail(invalid('content_type'));
  }

  onData(bytes: Buffer): void {
    const { reader } = this;
    if (this.over || !reader) return;
    let more: boolean;
    try {
      more = reader.take(bytes);
    } catch (error) {
      return this.breakOff(error);
    }
    this.noteProgress(reader);
    // Judged before anything of this read leaves: a reply that came at once and is invalid is replaced unseen.
    if (!more) return this.conclude();
    this.job.output.flushSoon();
    if (this.job.output.blocked) this.pause();
  }

  onEnd(): void {
    if (!this.over) this.conclude();
  }

  onFailure(failure: ProviderFailure): void {
    if (this.over) return;
    // All that was missing was the end.
    if (this.reader?.finished && failure.reason === 'connection_lost') return this.conclude();
    // The call has ended, or drains what is left: there is nothing to abort.
    this.finish({ kind: 'failed', failure });
  }

  private noteProgress(reader: ReplyReader): void {
    const { progress } = reader;
    if (progress === this.progress) return;
    if (this.progress > 0) {
      this.timer.refresh();
    } else {
      this.firstTokenMs = performance.now() - this.startedMs;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.onSilence(), this.job.chunkTimeoutMs);
    }
    this.progress = progress;
  }

  private onSilence(): void {
    // It is us who do not read.
    if (this.paused) return;
    if (this.reader?.finished) return this.conclude();
    this.fail(unavailable('chunk_timeout'));
  }

  private pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.wasPaused = true;
    this.call.pause();
  }

  private conclude(): void {
    const { reader } = this;
    if (!reader) return this.fail(unavailable('connection_lost'));
    try {
      const reply = reader.conclude();
      this.call.leave();
      const totalMs = performance.now() - this.startedMs;
      const { firstTokenMs, wasPaused } = this;
      this.finish({ kind: 'served', reply, firstTokenMs, totalMs, wasPaused });
    } catch (error) {
      this.breakOff(error);
    }
  }

  private breakOff(error: unknown): void {
    if (InvalidReplyError.is(error)) return this.fail(invalid(error.reason));
    if (error instanceof ProviderErrorEvent) return this.fail(unavailable('error_event'));
    // Ours, not the provider's: whoever waits for the outcome hears of it.
    this.call.abort();
    this.over = true;
    clearTimeout(this.timer);
    this.reject(error);
  }

  private fail(failure: ProviderFailure): void {
    if (this.over) return;
    // Whatever the provider still does for this request is in vain: it is told by the closed connection.
    this.call.abort();
    this.finish({ kind: 'failed', failure });
  }

  private finish(outcome: AttemptOutcome): void {
    this.over = true;
    clearTimeout(this.timer);
    this.resolve(outcome);
  }
}
