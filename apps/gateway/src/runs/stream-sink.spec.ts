import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { RUN_CREDIT_BYTES } from '@svc/contracts';
import { RequestRecord } from '../http/request-record';
import { StreamSink } from './stream-sink';

/** As much of a reply as a sink uses; the test says when it is full and when it drains. */
class FakeReply extends EventEmitter {
  headersSent = false;
  readonly removeHeader = () => undefined;
  destroyed = false;
  status = 0;
  full = false;
  ended = false;
  written: string[] = [];

  writeHead(status: number): void {
    if (this.headersSent) throw new Error('the head was written already');
    this.headersSent = true;
    this.status = status;
  }

  write(bytes: Buffer): boolean {
    if (!this.headersSent) throw new Error('Node would write a head of its own');
    this.written.push(bytes.toString());
    return !this.full;
  }

  end(bytes: Buffer): void {
    this.written.push(bytes.toString());
    this.ended = true;
  }

  drain(): void {
    this.full = false;
    this.emit('drain');
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function setUp({ isWaitedFor = true } = {}) {
  const reply = new FakeReply();
  const record = new RequestRecord(0);
  const clock = { now: 0, nowMs: () => clock.now };
  const credits: number[] = [];
  const sink = new StreamSink(
    reply as unknown as ServerResponse,
    record,
    {
      identity: { completionId: 'chatcmpl-1', created: 5, model: 'svc/demo@1', includeUsage: false },
      isWaitedFor,
    },
    clock,
    (bytes) => credits.push(bytes),
  );
  const tick = (nowMs: number) => sink.tick((clock.now = nowMs));
  return { reply, record, clock, credits, sink, tick };
}

const chunk = Buffer.from('data: 1\n\n');
const failure = { code: 'no_capacity' as const, message: 'None.' };

describe('a stream to a client', () => {
  it('opens with the first bytes', () => {
    const { reply, record, clock, sink } = setUp();
    clock.now = 40;
    expect(reply.headersSent).toBe(false);
    sink.data(chunk);
    expect(reply.status).toBe(200);
    expect(record.firstByteMs).toBe(40);
    sink.end(Buffer.from('data: {"svc":{"cost_usdc":"0.000123"}}\n\ndata: [DONE]\n\n'));
    expect(reply.written).toHaveLength(2);
    expect(reply.ended).toBe(true);
    expect(record.costUsdc).toBe('0.000123');
  });

  it('opens with its end when nothing came before', () => {
    const { reply, sink } = setUp();
    sink.end(chunk);
    expect([reply.status, reply.ended]).toEqual([200, true]);
  });

  it('fails with a status before it is open', () => {
    const { reply, record, sink, tick } = setUp();
    sink.fail(failure);
    expect(reply.status).toBe(503);
    expect(reply.written.join('')).toContain('"code":"no_capacity"');
    expect(record.code).toBe('no_capacity');
    tick(29_999);
    expect(reply.written).toHaveLength(1);
  });

  it('fails with events once it is open', () => {
    const { reply, sink } = setUp();
    sink.data(chunk);
    sink.fail(failure);
    expect(reply.status).toBe(200);
    expect(reply.written[1]).toMatch(
      /"choices":\[\].*"error":\{.*"svc":\{"cost_usdc":"0.000000"\}\}\n\ndata: \[DONE\]\n\n$/,
    );
  });

  it('is opened after 10 s, and kept alive each 10 s of silence', () => {
    const { reply, clock, sink, tick } = setUp();
    tick(9_999);
    expect(reply.headersSent).toBe(false);
    tick(10_000);
    tick(10_001);
    tick(19_999);
    expect(reply.written).toEqual([': keep-alive\n\n']);
    tick(20_000);
    expect(reply.written).toHaveLength(2);
    clock.now = 25_000;
    sink.data(chunk);
    tick(34_999);
    expect(reply.written).toHaveLength(3);
    tick(35_000);
    expect(reply.written).toHaveLength(4);
    sink.end(chunk);
    tick(80_000);
    expect(reply.written).toHaveLength(5);
  });

  it('gives credit in portions of what has left', () => {
    const { reply, credits, sink } = setUp();
    const large = Buffer.alloc(40 * 1024);
    sink.data(large);
    expect(credits).toEqual([]);
    sink.data(large);
    expect(credits).toEqual([80 * 1024]);
    reply.full = true;
    sink.data(large);
    sink.data(large);
    expect([credits.length, reply.listenerCount('drain')]).toEqual([1, 1]);
    reply.drain();
    expect(credits).toEqual([80 * 1024, 80 * 1024]);
  });

  it('gives no credit for what keeps it alive, which dispatch did not send', () => {
    const { credits, sink, tick } = setUp();
    for (let nowMs = 10_000; nowMs <= 50_000; nowMs += 10_000) tick(nowMs);
    sink.data(Buffer.alloc(64 * 1024 - 1));
    expect(credits).toEqual([]);
    sink.data(Buffer.alloc(1));
    expect(credits).toEqual([64 * 1024]);
  });

  it('says nothing on top of what does not leave', () => {
    const { reply, sink, tick } = setUp();
    reply.full = true;
    sink.data(chunk);
    tick(29_000);
    expect(reply.written).toHaveLength(1);
    reply.drain();
    tick(29_250);
    expect(reply.written).toHaveLength(2);
  });

  it('writes nothing to a client that is gone', () => {
    const { reply, sink, tick } = setUp();
    reply.destroyed = true;
    sink.data(chunk);
    tick(20_000);
    sink.end(chunk);
    sink.fail(failure);
    expect(reply.written).toEqual([]);
  });

  it('is cut off when its client has kept the provider waiting for 10 minutes in all', () => {
    const { reply, sink, tick } = setUp();
    let nowMs = 0;
    /** As the gateway looks at it: a few times a second. */
    const pass = (ms: number) => {
      for (let passed = 0; passed < ms; passed += 250) tick((nowMs += 250));
    };
    for (let minute = 0; minute < 9; minute++) {
      reply.full = true;
      sink.data(Buffer.alloc(RUN_CREDIT_BYTES));
      pass(60_000);
      // All of it left: what dispatch has to send comes again, and the provider writes for as long as it likes.
      reply.drain();
      pass(120_000);
    }
    expect(reply.destroyed).toBe(false);
    reply.full = true;
    // A provider that has not used up its credit waits for nobody.
    sink.data(Buffer.alloc(RUN_CREDIT_BYTES - 1));
    pass(120_000);
    expect(reply.destroyed).toBe(false);
    sink.data(Buffer.alloc(1));
    pass(60_000);
    expect(reply.destroyed).toBe(false);
    pass(250);
    expect(reply.destroyed).toBe(true);
  });

  it('is not cut off where nobody waits for its client', () => {
    const { reply, sink, tick } = setUp({ isWaitedFor: false });
    reply.full = true;
    sink.data(Buffer.alloc(RUN_CREDIT_BYTES));
    for (let nowMs = 0; nowMs < 1_200_000; nowMs += 250) tick(nowMs);
    expect(reply.destroyed).toBe(false);
  });

  it('says what was charged where its client did not read it', () => {
    const { reply, record, sink } = setUp();
    sink.data(chunk);
    sink.fail({ ...failure, costUsdc: '0.000012' });
    expect(reply.written.at(-1)).toContain('"svc":{"cost_usdc":"0.000012"}');
    expect(record.costUsdc).toBe('0.000012');
  });
});
