import { RUN_CREDIT_BYTES, probeContracts } from '@svc/contracts';
import type { ProbeCallRequest, ProbeObservation } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { PrivateNats, eventually } from '@svc/testing';
import { chunk, saying, startProvider } from './testing/provider.for-spec';
import type { TestProvider } from './testing/provider.for-spec';
import { head, httpChunk, startRawProvider } from './testing/raw-provider.for-spec';
import type { RawAnswer, RawConnection, RawProvider } from './testing/raw-provider.for-spec';
import { TEST_PROVIDER, runRequest } from './testing/run-request.for-spec';
import { RunningDispatch } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';

const MIB = 1024 * 1024;
const SSE = head('text/event-stream');
const JSON_HEAD = head('application/json');
/** Of a body that the end of the connection ends, as those of HTTP/1.0. */
const BARE = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';
const event = (data: object | string) =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const word = event(chunk({ content: 'x' }));

/** Says this, and no more. */
const says =
  (...pieces: (string | Buffer)[]): RawAnswer =>
  async (connection) => {
    for (const piece of pieces) await connection.write(piece);
  };
const saysAndEnds =
  (...pieces: (string | Buffer)[]): RawAnswer =>
  async (connection) => {
    await says(...pieces)(connection);
    connection.end();
  };
/** Begins so, and goes on with that for ever. */
const floods =
  (begin: string, piece: string | Buffer): RawAnswer =>
  async (connection) => {
    await connection.write(begin);
    await connection.flood(piece);
  };

/** What an endpoint does, what dispatch calls that, and how it was asked. */
type Case = [name: string, answer: RawAnswer, reason: string | RegExp, fields?: Partial<ProbeCallRequest>];

const PLAIN: Partial<ProbeCallRequest> = { stream: false };
/** For those whose time is what has to run out, or may. Others have as much as any machine takes. */
const QUICK: Partial<ProbeCallRequest> = { firstTokenTimeoutMs: 800 };
const QUICK_AFTER_FIRST_TOKEN: Partial<ProbeCallRequest> = { chunkTimeoutMs: 500 };

const FRAMING: Case[] = [
  ['says what is not HTTP', says('220 mail.example ESMTP\r\n'), 'not_http'],
  ['sends headers of 64 KiB', says(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(64 * 1024)}\r\n`), 'too_large'],
  ['sends 20,000 headers', says(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`), 'too_large'],
  ['sends headers for ever', floods('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(100)), 'too_large'],
  [
    'drips headers for ever',
    async (connection) => {
      await connection.write('HTTP/1.1 200 OK\r\n');
      await connection.drip('a: b\r\n', 50);
    },
    'first_token_timeout',
    QUICK,
  ],
  [
    'redirects',
    says('HTTP/1.1 307 Moved\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
    'redirect',
  ],
  ['continues', says('HTTP/1.1 100 Continue\r\n\r\n'), 'not_http'],
  [
    'floods interim replies',
    floods('', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(50)),
    'not_http',
  ],
  [
    'switches protocols',
    says('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    'not_http',
  ],
  [
    'compresses',
    saysAndEnds(head('application/json', 'content-encoding: gzip\r\n'), httpChunk('x')),
    'content_encoding',
  ],
  [
    'has two content types',
    saysAndEnds(head('text/event-stream', 'content-type: text/html\r\n')),
    'content_type',
  ],
  [
    'has two lengths',
    says(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\n{"a":1}',
    ),
    'not_http',
    PLAIN,
  ],
  [
    'has a length and chunks',
    says(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
    ),
    'not_http',
    PLAIN,
  ],
  ['has a chunk of no length', says(SSE, 'zz\r\n'), 'not_http'],
  [
    'means the prototype',
    saysAndEnds(head('text/event-stream', '__proto__: a\r\n__proto__: b\r\n'), '0\r\n\r\n'),
    'no_finish_reason',
  ],
  ['resets the connection', (connection) => connection.reset(), 'connection_lost'],
  [
    'resets it in the middle',
    async (connection) => {
      await connection.write(SSE + httpChunk(word).toString());
      setTimeout(() => connection.reset(), 20);
    },
    'connection_lost',
  ],
  ['ends without a word', (connection) => connection.end(), 'connection_lost'],
  [
    'ends in the middle of its chunks, which it would have closed',
    saysAndEnds(head('text/event-stream', 'connection: close\r\n'), httpChunk(word)),
    'connection_lost',
  ],
  [
    'ends before its length, which it would have closed',
    saysAndEnds(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: 5000\r\n\r\n${word}`,
    ),
    'connection_lost',
  ],
  ['ends where nothing else ends its reply, which is not whole', saysAndEnds(BARE + word), 'connection_lost'],
  ['ends so in the middle of an event', saysAndEnds(BARE + word + word.slice(0, -9)), 'connection_lost'],
  ['ends so after saying that it is done', saysAndEnds(`${BARE}${word}data: [DONE]\n\n`), 'no_finish_reason'],
];

const BODIES: Case[] = [
  [
    'comments for ever',
    floods(SSE, httpChunk(': keep-alive\n\n'.repeat(500))),
    /first_token_timeout|too_large/,
    QUICK,
  ],
  [
    'comments slowly for ever',
    async (connection) => {
      await connection.write(SSE);
      await connection.drip(httpChunk(': keep-alive\n\n').toString(), 50);
    },
    'first_token_timeout',
    QUICK,
  ],
  ['never ends a line', floods(SSE, httpChunk('x'.repeat(8 * 1024))), 'too_large'],
  [
    'never ends an event',
    floods(SSE, httpChunk('data: \n'.repeat(1_000))),
    /too_large|first_token_timeout/,
    QUICK,
  ],
  [
    'sends bytes one by one for ever',
    floods(SSE, Buffer.concat(Array<Buffer>(2_000).fill(httpChunk(':')))),
    /too_many_chunks|first_token_timeout/,
    QUICK,
  ],
  [
    'sends empty events for ever',
    floods(SSE, httpChunk(event({ choices: [] }).repeat(500))),
    /too_many_chunks|first_token_timeout|too_large/,
    QUICK,
  ],
  ['hides its bytes in chunk extensions', floods(SSE, `1;${'x'.repeat(16 * 1024)}\r\n:\r\n`), 'too_large'],
  [
    'hides its bytes in chunk extensions between words',
    floods(SSE, Buffer.concat([httpChunk(word), Buffer.from(`1;${'x'.repeat(16 * 1024)}\r\n:\r\n`)])),
    'too_large',
  ],
  [
    'never ends a chunk extension',
    async (connection) => {
      await connection.write(SSE + httpChunk(word).toString());
      await floods('1;', 'x'.repeat(16 * 1024))(connection);
    },
    'too_large',
  ],
  ['writes for ever', floods(SSE, httpChunk(word.repeat(200))), 'too_large', { maxTokens: 64 }],
  [
    'writes without end in one piece',
    floods(JSON_HEAD, httpChunk(' '.repeat(16 * 1024))),
    'too_large',
    PLAIN,
  ],
  [
    'sends what is no UTF-8',
    saysAndEnds(
      SSE,
      httpChunk(Buffer.concat([Buffer.from('data: {"a":"'), Buffer.of(0xff, 0xfe)])),
      '0\r\n\r\n',
    ),
    'not_utf8',
  ],
  [
    'sends what is no UTF-8 in one piece',
    saysAndEnds(JSON_HEAD, httpChunk(Buffer.from('7b2261223a22ff227d', 'hex')), '0\r\n\r\n'),
    'not_utf8',
    PLAIN,
  ],
  [
    'sends a document of a million objects',
    saysAndEnds(JSON_HEAD, httpChunk(`[${'{},'.repeat(300_000)}0]`), '0\r\n\r\n'),
    'too_complex',
    PLAIN,
  ],
  [
    'sends an event of a million objects',
    saysAndEnds(SSE, httpChunk(event(`[${'{},'.repeat(300_000)}0]`)), '0\r\n\r\n'),
    'too_complex',
  ],
  ['nests for ever', saysAndEnds(SSE, httpChunk(event('['.repeat(500_000))), '0\r\n\r\n'), 'too_complex'],
  [
    'calls with a document of a million values',
    saysAndEnds(
      SSE,
      httpChunk(
        event(
          chunk(
            {
              tool_calls: [
                { index: 0, id: 'x', function: { name: 'f', arguments: `{"a":[${'0,'.repeat(80_000)}0]}` } },
              ],
            },
            'tool_calls',
          ),
        ),
      ),
      httpChunk(event('[DONE]')),
      '0\r\n\r\n',
    ),
    'too_complex',
    { maxTokens: 4_000, body: { messages: [], tools: [{ type: 'function', function: { name: 'f' } }] } },
  ],
  [
    'drips words for ever',
    async (connection) => {
      await connection.write(SSE);
      await connection.drip(httpChunk(word).toString(), 90);
    },
    'total_timeout',
    { timeoutMs: 1_200 },
  ],
  [
    'thinks for ever',
    async (connection) => {
      await connection.write(SSE);
      await connection.drip(httpChunk(event(chunk({ reasoning: 'hm' }))).toString(), 90);
    },
    'total_timeout',
    { timeoutMs: 1_200 },
  ],
  [
    'drips chunks without a word for ever',
    async (connection) => {
      await connection.write(SSE);
      const empty = chunk({ role: 'assistant', content: '', reasoning_content: '' });
      await connection.drip(httpChunk(event(empty)).toString(), 90);
    },
    'first_token_timeout',
    QUICK,
  ],
  [
    'drips bytes of a word for ever',
    async (connection) => {
      await connection.write(SSE + httpChunk(word).toString());
      await connection.drip(httpChunk(':').toString(), 90);
    },
    'chunk_timeout',
    QUICK_AFTER_FIRST_TOKEN,
  ],
  [
    'drips blank lines before a whole reply for ever',
    async (connection) => {
      await connection.write(JSON_HEAD);
      await connection.drip(httpChunk('\n').toString(), 90);
    },
    'first_token_timeout',
    PLAIN,
  ],
  [
    'drips a whole reply for ever',
    async (connection) => {
      await connection.write(JSON_HEAD + httpChunk('{').toString());
      await connection.drip(httpChunk(' ').toString(), 90);
    },
    'chunk_timeout',
    { ...PLAIN, ...QUICK_AFTER_FIRST_TOKEN },
  ],
];

describe('a hostile endpoint', () => {
  let nats: PrivateNats;
  let dispatch: RunningDispatch;
  let rpc: RpcClient;
  let gateway: TestGateway;
  let catalogue: TestCatalogue;
  let billing: TestBilling;
  let healthy: TestProvider;
  const hostile: RawProvider[] = [];

  beforeAll(async () => {
    nats = await PrivateNats.start();
    rpc = new RpcClient(await nats.connectAs('catalog'));
    [billing, catalogue, gateway, healthy] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
      startProvider(saying('All is well.')),
    ]);
    dispatch = await RunningDispatch.start(nats);
    await catalogue.offer('healthy', healthy.url);
    await dispatch.awaitOffer('healthy');
  });
  afterAll(async () => {
    await dispatch.stop();
    gateway.stopBeating();
    await nats.close();
    await Promise.all([healthy, ...hostile].map((server) => server.close()));
  });

  async function endpointThat(answer: RawAnswer): Promise<RawProvider> {
    const provider = await startRawProvider(answer);
    hostile.push(provider);
    return provider;
  }

  function call(endpoint: string, fields: Partial<ProbeCallRequest> = {}): Promise<ProbeObservation> {
    return rpc.call(probeContracts.call, {
      provider: TEST_PROVIDER,
      endpoint,
      upstreamModel: 'm',
      stream: true,
      maxTokens: 1_000,
      firstTokenTimeoutMs: 30_000,
      chunkTimeoutMs: 30_000,
      timeoutMs: 40_000,
      until: 'end',
      body: { messages: [{ role: 'user', content: 'Hi' }] },
      ...fields,
    });
  }

  /**
   * Has the healthy offer serve until that is over.
   * @returns how much the process worked until the slowest was served, ms: while it stood still it did nothing for anybody
   */
  async function servedMeanwhile(until: Promise<unknown>): Promise<number> {
    let over = false;
    void until.finally(() => (over = true)).catch(() => undefined);
    let mostWorkedMs = 0;
    do {
      const started = process.cpuUsage();
      const run = gateway.run(runRequest(['healthy']));
      expect((await run.ended()).type).toBe('end');
      const { user, system } = process.cpuUsage(started);
      mostWorkedMs = Math.max(mostWorkedMs, (user + system) / 1_000);
    } while (!over);
    return mostWorkedMs;
  }

  async function expectFailure([, answer, reason, fields]: Case): Promise<void> {
    const provider = await endpointThat(answer);
    const observed = await call(provider.url, fields);
    expect(observed).toMatchObject({ outcome: 'failed' });
    if (typeof reason === 'string') expect(observed.failure?.reason).toBe(reason);
    else expect(observed.failure?.reason).toMatch(reason);
    // Whoever floods is not listened to any longer.
    await eventually(() => provider.open === 0);
  }

  describe.each([
    ['in its framing', FRAMING],
    ['in its body', BODIES],
  ])('%s', (_group, cases) => {
    it.each(cases)('%s: fails for its reason, and disturbs nobody', async (...given) => {
      const failed = expectFailure(given);
      const workedMs = await servedMeanwhile(failed);
      await failed;
      expect(workedMs).toBeLessThan(2_000);
    });
  });

  it('that ends its chunks without the last one has replied all the same, once its finish reason has come', async () => {
    const whole = word + event(chunk({}, 'stop'));
    for (const more of ['', 'connection: close\r\n']) {
      const provider = await endpointThat(saysAndEnds(head('text/event-stream', more), httpChunk(whole)));
      expect(await call(provider.url)).toMatchObject({ outcome: 'replied', reply: { content: 'x' } });
    }
  });

  describe('behind TLS', () => {
    const overTls = ({ port }: RawProvider) => `https://127.0.0.1:${port}/v1`;

    it('that never answers the handshake is given up', async () => {
      const provider = await endpointThat(() => undefined);
      expect((await call(overTls(provider), QUICK)).failure?.reason).toBe('first_token_timeout');
      await eventually(() => provider.open === 0);
    });

    it('that speaks something else has failed at that', async () => {
      const provider = await endpointThat(saysAndEnds('HTTP/1.1 400 Bad\r\n\r\n'));
      expect((await call(overTls(provider))).failure?.reason).toBe('tls_failed');
    });
  });

  describe('many of them', () => {
    it('cannot fill the memory: the largest go, the healthy one stays', async () => {
      // Each stays within its own limit: 6 MiB, and then silence.
      const provider = await endpointThat(async (connection) => {
        await connection.write(JSON_HEAD);
        for (let mib = 0; mib < 6; mib++) await connection.write(httpChunk(' '.repeat(MIB)));
      });
      let mostHeld = 0;
      const patience = { firstTokenTimeoutMs: 120_000, chunkTimeoutMs: 120_000, timeoutMs: 120_000 };
      let crowdedOut = 0;
      const calls = Array.from({ length: 80 }, async () => {
        const observed = await call(provider.url, { ...PLAIN, maxTokens: 4_000, ...patience });
        if (observed.failure?.reason === 'crowded_out') crowdedOut++;
        return observed;
      });
      const watch = setInterval(() => {
        void dispatch
          .metric(/^svc_dispatch_reply_bytes_held/)
          .then((held) => (mostHeld = Math.max(mostHeld, held)));
      }, 50);
      // 480 MiB are on their way, and there is room for 256.
      const isCrowded = () => crowdedOut >= 30 && mostHeld > 200 * MIB;
      const crowded = eventually(isCrowded, { timeoutMs: 110_000 }).finally(() => clearInterval(watch));
      await servedMeanwhile(crowded);
      await crowded;
      // Those who stay hold what they have until they are over.
      await provider.close();
      const outcomes = await Promise.all(calls);
      expect(mostHeld).toBeLessThanOrEqual(256 * MIB);
      const reasons = outcomes.map(({ failure }) => failure?.reason);
      expect(new Set(reasons)).toEqual(new Set(['crowded_out', 'connection_lost']));
      await eventually(async () => (await dispatch.metric(/^svc_dispatch_reply_bytes_held/)) === 0);
    });

    it('leave nothing behind', async () => {
      await eventually(async () => (await dispatch.metric(/^svc_dispatch_probes_in_flight/)) === 0);
      await eventually(() => hostile.every(({ open }) => open === 0));
    });
  });

  describe('that hangs up on a slow reader', () => {
    const CLOSED = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n';
    const text = event(chunk({ content: 'x'.repeat(20_000) }));
    const WAYS = [
      { what: 'resets chunks', begin: `${CLOSED}transfer-encoding: chunked\r\n\r\n`, piece: httpChunk(text) },
      { what: 'resets a body without a length', begin: `${CLOSED}\r\n`, piece: text },
      { what: 'ends a body without a length', begin: `${CLOSED}\r\n`, piece: text },
    ];
    let clock: jest.SpyInstance<number, []> | undefined;

    afterEach(() => {
      gateway.grants = true;
      clock?.mockRestore();
    });

    /** A run whose provider hangs up once the client has made no room for so long. */
    async function hungUpOn({ what, begin, piece }: (typeof WAYS)[number], afterMs: number) {
      let connection!: RawConnection;
      const provider = await endpointThat(async (opened) => {
        connection = opened;
        await opened.write(begin);
        await opened.write(piece);
      });
      const offerId = `hangs-up-${hostile.length}`;
      await catalogue.offer(offerId, provider.url);
      await dispatch.awaitOffer(offerId);
      gateway.grants = false;
      const run = gateway.run(runRequest([offerId], { maxTokens: 100_000 }));
      // A piece at a time, so that none waits unread once the credit is used up.
      for (let said = 1; ; said++) {
        await eventually(() => run.content.length === said * 20_000);
        if (run.text.length >= RUN_CREDIT_BYTES) break;
        await connection.write(piece);
      }
      const now = performance.now.bind(performance);
      clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + afterMs);
      if (what.startsWith('ends')) connection.end();
      else connection.reset();
      return { run, failure: await run.failed(), offerId };
    }

    it.each(WAYS)('and $what: fails that run alone', async (way) => {
      const { run, failure } = await hungUpOn(way, 0);
      expect(failure).toMatchObject({ code: 'provider_output_invalid' });
      expect(failure).not.toHaveProperty('costUsdc');
      expect(billing.settled.find(({ holdId }) => holdId === run.request.requestId)?.outcome).toBe('void');
      gateway.grants = true;
      expect((await gateway.run(runRequest(['healthy'])).ended()).type).toBe('end');
    });

    it.each(WAYS)(
      'for long, and $what: it is the client that has left, and pays for what it got',
      async (way) => {
        const { run, failure, offerId } = await hungUpOn(way, 10_000);
        const settled = billing.settled.find(({ holdId }) => holdId === run.request.requestId);
        // 280,000 letters are 70,000 tokens; the prompt is some more.
        expect(settled).toMatchObject({ outcome: 'post', usage: { finishReason: 'cancelled' } });
        expect(failure).toMatchObject({ code: 'no_capacity' });
        expect(failure.costUsdc).toMatch(/^0\.0[12]\d{4}$/);
        expect(failure.message).not.toContain('Nothing was charged');
        const attempts = (outcome: string) =>
          dispatch.metric(new RegExp(`^svc_dispatch_attempts_total.*"${offerId}".*"${outcome}"`));
        await eventually(async () => (await attempts('stopped')) === 1);
        expect(await attempts('connection_lost')).toBe(0);
      },
    );
  });
});
