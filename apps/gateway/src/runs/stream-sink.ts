import type { ServerResponse } from 'node:http';
import { MOST_CLIENT_WAITING_MS, RUN_CREDIT_BYTES } from '@svc/contracts';
import type { ErrorPayload } from '@svc/errors';
import type { Clock } from '../clock';
import { sendError } from '../http/error-reply';
import type { RequestRecord } from '../http/request-record';
import { noteCost } from './note-cost';
import type { RunSink } from './run-sink';
import { KEEP_ALIVE, failureEvents } from './stream-events';
import type { ChunkIdentity } from './stream-events';

/** Until then a failure is a real HTTP status; then the 200 goes out, lest the client give up waiting. */
const OPEN_AFTER_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** Credit goes to dispatch in portions, not for every chunk. */
const CREDIT_STEP_BYTES = 64 * 1024;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Tells nginx to pass chunks on as they come.
  'x-accel-buffering': 'no',
};

interface StreamForm {
  identity: ChunkIdentity;
  /** A provider waits where this client is slow. */
  isWaitedFor: boolean;
}

/** Writes a run's ready SSE bytes to a client, at the client's pace. */
export class StreamSink implements RunSink {
  private opened = false;
  private ended = false;
  private lastWriteMs: number;
  /** The client is slower than what comes for it. */
  private full = false;
  /** Written, and not known to have left. */
  private pendingBytes = 0;
  /** Left, and not yet credited. */
  private uncreditedBytes = 0;
  /** How long this client has kept whoever works for it waiting. */
  private waitedMs = 0;
  private lastTickMs: number;

  /** @param credit tells dispatch how many more bytes it may send */
  constructor(
    private readonly raw: ServerResponse,
    private readonly record: RequestRecord,
    private readonly form: StreamForm,
    private readonly clock: Clock,
    private readonly credit: (bytes: number) => void,
  ) {
    this.lastWriteMs = record.startedMs;
    this.lastTickMs = record.startedMs;
  }

  data(payload: Buffer): void {
    if (this.raw.destroyed) return;
    this.open();
    this.write(payload);
  }

  end(payload: Buffer): void {
    noteCost(this.record, payload);
    this.open();
    this.finish(payload);
  }

  fail(payload: ErrorPayload): void {
    this.record.code = payload.code;
    if (payload.costUsdc !== undefined) this.record.costUsdc = payload.costUsdc;
    if (!this.opened) {
      this.ended = true;
      sendError(this.raw, payload);
      return;
    }
    this.finish(failureEvents(this.form.identity, payload));
  }

  tick(nowMs: number): void {
    if (this.ended || this.raw.destroyed) return;
    if (this.form.isWaitedFor && this.noteWaiting(nowMs) > MOST_CLIENT_WAITING_MS)
      return void this.raw.destroy();
    if (this.full) return;
    if (!this.opened) {
      if (nowMs - this.record.startedMs < OPEN_AFTER_MS) return;
      this.open();
      this.write(KEEP_ALIVE);
    } else if (nowMs - this.lastWriteMs >= KEEP_ALIVE_MS) {
      this.write(KEEP_ALIVE);
    }
  }

  /** @returns for how long dispatch had no more to send by now, for want of credit; milliseconds in all */
  private noteWaiting(nowMs: number): number {
    if (this.pendingBytes + this.uncreditedBytes >= RUN_CREDIT_BYTES) {
      this.waitedMs += nowMs - this.lastTickMs;
    }
    this.lastTickMs = nowMs;
    return this.waitedMs;
  }

  private open(): void {
    if (this.opened || this.raw.destroyed) return;
    this.opened = true;
    this.record.firstByteMs = this.clock.nowMs();
    this.raw.writeHead(200, HEADERS);
  }

  private write(bytes: Buffer): void {
    this.lastWriteMs = this.clock.nowMs();
    if (bytes !== KEEP_ALIVE) this.pendingBytes += bytes.length;
    if (this.raw.write(bytes)) return this.release();
    if (this.full) return;
    this.full = true;
    this.raw.once('drain', () => {
      this.full = false;
      this.release();
    });
  }

  private release(): void {
    if (this.full) return;
    this.uncreditedBytes += this.pendingBytes;
    this.pendingBytes = 0;
    if (this.uncreditedBytes < CREDIT_STEP_BYTES || this.ended) return;
    this.credit(this.uncreditedBytes);
    this.uncreditedBytes = 0;
  }

  private finish(bytes: Buffer): void {
    this.ended = true;
    if (!this.raw.destroyed) this.raw.end(bytes);
  }
}
