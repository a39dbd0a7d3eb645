import type { ServerResponse } from 'node:http';
import { RECONNECT_MS } from './live-terms';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Tells nginx to pass events on as they come.
  'x-accel-buffering': 'no',
};

/**
 * Server-sent events to one reader (https://html.spec.whatwg.org/multipage/server-sent-events.html). What an event said is said again by
 * the next one, so a reader that lets them pile up misses nothing when it is cut off: it comes again and gets the present state.
 */
export class LiveStream {
  constructor(private readonly raw: ServerResponse) {
    raw.writeHead(200, HEADERS);
    this.write(`retry: ${RECONNECT_MS}\n\n`);
  }

  /** @param value of any shape; JSON has no line breaks of its own */
  event(name: string, value: object): void {
    this.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  }

  keepAlive(): void {
    this.write(': keep-alive\n\n');
  }

  end(): void {
    if (!this.raw.destroyed) this.raw.end();
  }

  private write(text: string): void {
    if (this.raw.destroyed || this.raw.writableEnded) return;
    // What was written before has not left: the reader does not read.
    if (this.raw.writableNeedDrain) return void this.raw.destroy();
    this.raw.write(text);
  }
}
