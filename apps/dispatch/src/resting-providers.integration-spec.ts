import { eventually } from '@svc/testing';
import { chunk } from './testing/provider.for-spec';
import { head, httpChunk, startRawProvider } from './testing/raw-provider.for-spec';
import type { RawConnection, RawProvider } from './testing/raw-provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { Surroundings } from './testing/surroundings.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';
import { FrameClock } from './live-run/frame-clock';

/** Longer than beside any number of runs, so that what a test does falls into it. */
const REST_MS = 300;

const event = (data: object | string) =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const word = (content: string) => event(chunk({ content }));
const END = event(chunk({}, 'stop')) + event('[DONE]');
const LAST_CHUNK = '0\r\n\r\n';

describe('a provider whose connection rests', () => {
  let around: Surroundings;
  let provider: RawProvider;
  let connection: RawConnection;
  let run: TestRun;
  let offers = 0;

  beforeAll(async () => {
    around = await Surroundings.start();
    jest.spyOn(FrameClock.prototype, 'patienceMs', 'get').mockReturnValue(REST_MS);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await around.stop();
  });

  /** Its first word has come, and it rests. */
  beforeEach(async () => {
    let opened: RawConnection | undefined;
    provider = await startRawProvider((asked) => void (opened = asked));
    const id = `resting-${offers++}`;
    await around.catalogue.offer(id, provider.url);
    await around.dispatch.awaitOffer(id);
    run = around.gateway.run(runRequest([id], { maxTokens: 50_000 }));
    connection = await eventually(() => opened);
    await connection.write(head('text/event-stream'));
    await say(word('a'));
    await eventually(() => run.content === 'a');
  });
  afterEach(async () => {
    around.gateway.grants = true;
    await provider.close();
  });

  const say = (text: string | Buffer) => connection.write(httpChunk(text));

  it.each(['end', 'reset'] as const)(
    'is heard to the end where a whole reply is followed by its %s',
    async (how) => {
      await say(word('b') + END);
      await connection.write(LAST_CHUNK);
      // What was said has arrived by then, and lies there unread.
      await new Promise((resolve) => setTimeout(resolve, REST_MS / 10));
      connection[how]();
      expect((await run.ended()).type).toBe('end');
      expect(run.content).toBe('ab');
    },
  );

  it.each(['end', 'reset'] as const)(
    'never passes for whole where its reply is cut by its %s',
    async (how) => {
      await say(word('b'));
      connection[how]();
      await run.failed();
      expect(around.usageOf(run)).toBeUndefined();
    },
  );

  it.each([
    ['pieces', (byte: Buffer) => connection.write(byte), (text: string) => httpChunk(text)],
    ['chunks', (byte: Buffer) => say(byte), (text: string) => Buffer.from(text)],
  ])('is understood in %s of one byte', async (_, write, framed) => {
    for (const byte of framed(word('ü') + END)) {
      await write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await connection.write(LAST_CHUNK);
    expect((await run.ended()).type).toBe('end');
    expect(run.content).toBe('aü');
  });

  it('is hung up on when its client is gone', async () => {
    await say(word('b'));
    run.cancel();
    await eventually(() => provider.open === 0);
    await run.ended();
  });

  it('slows down to the pace of its client, and loses nothing', async () => {
    around.gateway.grants = false;
    const text = 'x'.repeat(4_000);
    let written = 0;
    const saying = (async () => {
      for (; written < 1_000; written++) await say(word(text));
      await say(END);
    })();
    // More than that is not on its way to anybody.
    await eventually(() => run.content.length > 200_000);
    await new Promise((resolve) => setTimeout(resolve, 2 * REST_MS));
    expect(run.content.length).toBeLessThan(1_000_000);
    around.gateway.grants = true;
    run.grant(1_000_000);
    await saying;
    expect((await run.ended()).type).toBe('end');
    expect(run.content.length).toBe(1 + 1_000 * text.length);
  });

  it('is read on when there is room for all again', async () => {
    const patience = jest.spyOn(FrameClock.prototype, 'patienceMs', 'get').mockReturnValue(20);
    await say(word('b'));
    await eventually(() => run.content === 'ab');
    await say(END);
    expect((await run.ended()).type).toBe('end');
    patience.mockReturnValue(REST_MS);
  });
});
