import type { IncomingHttpHeaders } from 'node:http';
import { CONNECTION_STALE, RestableConnection } from '@svc/http-client';
import type { Dispatcher } from 'undici';
import type { ProviderFailure } from './provider-failure';
import { invalid } from './provider-failure';
import { errorFailure, statusFailure } from './upstream-failure';

/** Hears of one call to a provider. After `onFailure` or `onEnd`, and after the call was left, nothing more comes. */
export interface UpstreamListener {
  /** Status 200 has come; `contentType` without parameters, in lower case. */
  onHead(contentType: string): void;
  onData(bytes: Buffer): void;
  /** @param isMarked a length or a last chunk says that this is the end, and not only that of the connection, which may have been lost */
  onEnd(isMarked: boolean): void;
  onFailure(failure: ProviderFailure): void;
}

/** Sees everything that comes of a call, wanted or not. */
export interface CallTrace {
  onStatus(status: number): void;
  /** Of the body. */
  onBytes(bytes: Buffer): void;
  /** Nothing more will be read. */
  onClosed(): void;
}

/** What is read of a reply that nobody wants any more, so that its connection can be used again. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;
/** A connection that is closed later than this after the request was not closed before it: the server has had it. */
const STALE_MS = 1_000;
/** Interim replies (status 1xx) that are passed over before the real one. */
const MAX_INTERIM = 8;

/** Names of codings have no case (RFC 9110, section 8.4.1). */
const UNENCODED: ReadonlySet<string> = new Set(['identity', '']);

/** One HTTP call to a provider, as undici's handler: no streams in between, so that a pause reaches the socket. */
export class UpstreamCall implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  /** Known once something of the reply has come. */
  private connection: RestableConnection | undefined;
  private listener: UpstreamListener | undefined;
  private send: (() => void) | undefined;
  private begunMs = 0;
  /** Sent anew, over another connection. */
  private isRepeated = false;
  private drainTimer: NodeJS.Timeout | undefined;
  private drained = 0;
  private interim = 0;
  /** The headers of the reply have come. */
  private inBody = false;
  private isEndMarked = false;
  private over = false;

  constructor(
    listener: UpstreamListener,
    private readonly trace?: CallTrace,
  ) {
    this.listener = listener;
  }

  /**
   * Sends the request. A connection that has served before may have been closed by the server while the request was on its way: then it is
   * sent anew, over another, at last over a new one.
   */
  begin(send: () => void): void {
    this.send = send;
    this.begunMs = performance.now();
    send();
  }

  /** Breaks the connection off: the provider sees it close. */
  abort(): void {
    this.listener = undefined;
    this.end();
    this.controller?.abort(new Error('the call was aborted'));
  }

  /** Wants no more of the reply. What is left of it is read for a moment, then broken off. */
  leave(): void {
    this.listener = undefined;
    if (this.over) return;
    this.wake();
    this.resume();
    this.drainTimer = setTimeout(() => this.abort(), DRAIN_MS);
    this.drainTimer.unref();
  }

  /** Stops reading from the socket until resumed. undici asks after each piece: outside of `onData` one more is handed on. */
  pause(): void {
    if (!this.over) this.controller?.pause();
  }

  resume(): void {
    if (!this.over) this.controller?.resume();
  }

  /** Reads nothing more until `wake`, unless the provider has much to say: what comes meanwhile comes at one go. */
  rest(): void {
    if (!this.over) this.connection?.rest();
  }

  wake(): void {
    this.connection?.wake();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while it waited for a connection.
    if (this.over) return controller.abort(new Error('the call was aborted'));
    this.controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.connection = RestableConnection.beingRead;
    this.connection?.beginBody();
    if (!this.listener) return;
    if (status < 200) return this.onInterim();
    this.inBody = true;
    // Not sent anew from here on, nor kept for it.
    this.send = undefined;
    this.trace?.onStatus(status);
    if (status !== 200) return this.refuse(statusFailure(status, headers['retry-after'], headers.date));
    if (isEncoded(headers['content-encoding'])) return this.refuse(invalid('content_encoding'));
    this.isEndMarked = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    this.listener.onHead(mediaTypeOf(headers['content-type']));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.trace?.onBytes(bytes);
    this.connection?.noteBody(bytes.length);
    if (this.listener) return this.listener.onData(bytes);
    this.drained += bytes.length;
    if (this.drained > DRAIN_BYTES) this.abort();
  }

  onResponseEnd(): void {
    const { listener } = this;
    this.listener = undefined;
    this.connection?.endBody();
    this.end();
    listener?.onEnd(this.isEndMarked);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.mayRepeat(error)) {
      this.isRepeated = true;
      // undici is not done with the old connection yet.
      return queueMicrotask(() => {
        if (!this.over) this.send?.();
      });
    }
    const { listener } = this;
    this.listener = undefined;
    listener?.onFailure(errorFailure(error, { inBody: this.inBody, isRepeated: this.isRepeated }));
    this.end();
  }

  private mayRepeat(error: Error): boolean {
    const isStale = (error as NodeJS.ErrnoException).code === CONNECTION_STALE;
    return isStale && this.send !== undefined && !this.over && performance.now() - this.begunMs < STALE_MS;
  }

  private onInterim(): void {
    if (++this.interim <= MAX_INTERIM) return;
    const { listener } = this;
    this.abort();
    listener?.onFailure(invalid('not_http'));
  }

  /** By its head the reply is none that may be delivered. */
  private refuse(failure: ProviderFailure): void {
    const { listener } = this;
    this.leave();
    listener?.onFailure(failure);
  }

  private end(): void {
    clearTimeout(this.drainTimer);
    if (this.over) return;
    this.over = true;
    // From here on the connection is another call's.
    this.wake();
    this.connection = undefined;
    this.trace?.onClosed();
  }
}

/** @param header a list when it came more than once */
function isEncoded(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  return typeof header !== 'string' || !UNENCODED.has(header.trim().toLowerCase());
}

/** @param header a list when it came more than once, which says nothing */
function mediaTypeOf(header: string | string[] | undefined): string {
  if (typeof header !== 'string') return '';
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}
