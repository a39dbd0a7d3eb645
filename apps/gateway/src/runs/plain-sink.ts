import type { ServerResponse } from 'node:http';
import type { ErrorPayload } from '@svc/errors';
import type { Clock } from '../clock';
import { sendError } from '../http/error-reply';
import type { RequestRecord } from '../http/request-record';
import { noteCost } from './note-cost';
import type { RunSink } from './run-sink';
import { StallTimer } from './stall-timer';

/** Longer bodies are not worth copying. */
const ONE_WRITE_BYTES = 16 * 1024;
/** Longer bodies go out in pieces: how much of one write a client has taken, nobody is told. */
const PIECE_BYTES = 64 * 1024;

/** Answers a request without `stream`: one JSON body, made by dispatch. */
export class PlainSink implements RunSink {
  private readonly stall = new StallTimer();
  /** What was not yet given to the reply. */
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly raw: ServerResponse,
    private readonly record: RequestRecord,
    private readonly clock: Clock,
  ) {}

  /** A run without `stream` sends none. */
  data(): void {}

  end(payload: Buffer): void {
    noteCost(this.record, payload);
    if (this.raw.destroyed) return;
    const nowMs = this.clock.nowMs();
    this.record.firstByteMs = nowMs;
    this.raw.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': payload.length,
      'cache-control': 'no-store',
    });
    // As one string, head and body leave in one write, which is a tenth of the gateway's work for a short reply.
    // Latin-1 takes every byte as it is.
    if (payload.length <= ONE_WRITE_BYTES) this.raw.end(payload.toString('latin1'), 'latin1');
    else this.feed(payload);
    this.stall.start(nowMs, this.leftBytes);
  }

  fail(payload: ErrorPayload): void {
    this.record.code = payload.code;
    sendError(this.raw, payload);
    this.stall.start(this.clock.nowMs(), this.leftBytes);
  }

  tick(nowMs: number): void {
    if (this.raw.destroyed) return;
    const isQueued = this.raw.socket === null;
    if (this.stall.hasStalled(nowMs, this.leftBytes, isQueued)) this.raw.destroy();
  }

  private get leftBytes(): number {
    return this.raw.writableLength + this.rest.length;
  }

  private feed(payload: Buffer): void {
    this.rest = payload;
    while (this.rest.length > PIECE_BYTES) {
      const piece = this.rest.subarray(0, PIECE_BYTES);
      this.rest = this.rest.subarray(PIECE_BYTES);
      if (this.raw.write(piece)) continue;
      this.raw.once('drain', () => this.feed(this.rest));
      return;
    }
    const last = this.rest;
    this.rest = Buffer.alloc(0);
    this.raw.end(last);
  }
}
