import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { RequestRecord } from '../http/request-record';
import { PlainSink } from './plain-sink';

/** A reply whose client takes one write at a time, when the test says so. */
class SlowReply extends EventEmitter {
  socket: object | null = {};
  destroyed = false;
  ended = false;
  writableLength = 0;
  readonly taken: Buffer[] = [];
  private readonly written: Buffer[] = [];

  writeHead(): void {}

  write(bytes: Buffer): boolean {
    this.written.push(bytes);
    this.writableLength += bytes.length;
    return false;
  }

  end(bytes: Buffer): void {
    this.write(bytes);
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  take(): void {
    const next = this.written.shift() ?? Buffer.alloc(0);
    this.writableLength -= next.length;
    this.taken.push(next);
    if (!this.ended) this.emit('drain');
  }
}

describe('a long reply to a slow client', () => {
  it('comes whole though it takes minutes, and is cut off only when nothing is taken for 30 s', () => {
    const reply = new SlowReply();
    const sink = new PlainSink(reply as unknown as ServerResponse, new RequestRecord(0), { nowMs: () => 0 });
    const body = Buffer.alloc(300 * 1024, '0123456789');
    sink.end(body);
    let nowMs = 0;
    for (let taken = 0; !reply.ended; taken++) {
      expect(taken).toBeLessThan(10);
      sink.tick((nowMs += 29_000));
      reply.take();
      sink.tick((nowMs += 500));
      expect(reply.destroyed).toBe(false);
    }
    sink.tick(nowMs + 29_999);
    expect(reply.destroyed).toBe(false);
    sink.tick(nowMs + 30_000);
    expect(reply.destroyed).toBe(true);
    reply.take();
    expect(Buffer.concat(reply.taken).equals(body)).toBe(true);
  });
});

describe('a reply behind another one of its connection', () => {
  it('waits for its turn as long as that takes, and is cut off when nothing is taken for 30 s after it', () => {
    const reply = new SlowReply();
    reply.socket = null;
    const sink = new PlainSink(reply as unknown as ServerResponse, new RequestRecord(0), { nowMs: () => 0 });
    sink.end(Buffer.alloc(20 * 1024));
    sink.tick(40_000);
    sink.tick(80_000);
    reply.socket = {};
    sink.tick(109_999);
    expect(reply.destroyed).toBe(false);
    sink.tick(110_000);
    expect(reply.destroyed).toBe(true);
  });
});
