import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { CredentialSealer, credentialPublicKeyOf } from '@svc/credential-seal';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import { internalError, invalidRequest, noCapacity } from '@svc/errors';
import { PrivateNats, eventually, startFaultyProvider } from '@svc/testing';
import { chunk, saying, startProvider, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer, TestProvider } from './testing/provider.for-spec';
import { TEST_PROVIDER, runRequest } from './testing/run-request.for-spec';
import { RunningDispatch, TEST_CREDENTIAL_KEY } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { PATIENT, TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

/** For providers that are to be given up for their silence, and for no others: any machine may stand still for so long. */
const QUICK = { firstTokenTimeoutMs: 300, chunkTimeoutMs: 300 };
const QUICK_AFTER_FIRST_TOKEN = { ...PATIENT, chunkTimeoutMs: 300 };
const HOUR_MS = 3_600_000;

describe('dispatch', () => {
  let nats: PrivateNats;
  let dispatch: RunningDispatch;
  let gateway: TestGateway;
  let billing: TestBilling;
  let catalogue: TestCatalogue;
  const providers: TestProvider[] = [];
  let offers = 0;

  beforeAll(async () => {
    nats = await PrivateNats.start();
    [billing, catalogue, gateway] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
    ]);
    dispatch = await RunningDispatch.start(nats);
  });
  afterAll(async () => {
    await dispatch.stop();
    gateway.stopBeating();
    await nats.close();
    await Promise.all(providers.map((provider) => provider.close()));
  });

  /** A provider that answers so, with an offer in the catalogue that dispatch knows of. */
  async function offerFrom(
    answer: Answer,
    limits: object = {},
  ): Promise<{ id: string; provider: TestProvider }> {
    const provider = await startProvider(answer);
    providers.push(provider);
    return { id: await offerAt(provider.url, limits), provider };
  }

  async function offerAt(endpoint: string, limits: object = {}): Promise<string> {
    const id = `offer-${offers++}`;
    await catalogue.offer(id, endpoint, limits);
    await dispatch.awaitOffer(id);
    return id;
  }

  const start = (offerIds: string[], fields: Partial<StartRunRequest> = {}): TestRun =>
    gateway.run(runRequest(offerIds, fields));

  const lastUsage = (run: TestRun) => billing.of(run.request.requestId).at(-1)?.usage;

  describe('a reply', () => {
    it('takes less room on its way to a gateway that takes packed events, and is the same', async () => {
      const words = Array.from({ length: 40 }, (_, index) => `wörd${index} `).join('');
      const { id } = await offerFrom(saying(words));
      const [packed, ready] = [start([id]), start([id], { takesPacked: undefined })];
      for (const run of [packed, ready]) {
        expect((await run.ended()).type).toBe('end');
        expect(run.content).toBe(words);
        expect(run.text.endsWith('data: [DONE]\n\n')).toBe(true);
      }
      expect(packed.text.replaceAll(packed.request.completionId, ready.request.completionId)).toBe(
        ready.text,
      );
      expect(packed.bytesOnTheWay).toBeLessThan(ready.bytesOnTheWay / 3);
    });

    it('streams: content, the last content chunk, the charge, [DONE]; settled before its end', async () => {
      const { id, provider } = await offerFrom(saying('The quick brown fox'));
      const run = start([id], { includeUsage: true });
      expect((await run.ended()).type).toBe('end');
      expect(run.content).toBe('The quick brown fox');
      const common = { id: run.request.completionId, object: 'chat.completion.chunk', model: 'svc/test@1' };
      for (const sent of run.chunks)
        expect(sent).toMatchObject({ ...common, system_fingerprint: `bundle-${id}:profile` });
      expect(run.chunks.at(-2)).toMatchObject({
        choices: [{ delta: {}, finish_reason: 'stop' }],
        usage: null,
      });
      expect(run.chunks.at(-1)).toMatchObject({
        choices: [],
        svc: { cost_usdc: '0.000003', provider: TEST_PROVIDER },
        usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
      });
      expect(run.text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(billing.of(run.request.requestId)).toEqual([
        expect.objectContaining({
          outcome: 'post',
          usage: expect.objectContaining({
            offerId: id,
            promptTokens: 11,
            completionTokens: 4,
            tokenSource: 'provider',
            attempts: 1,
            finishReason: 'stop',
          }) as unknown,
        }),
      ]);
      expect(provider.requests[0]).toMatchObject({
        path: '/v1/chat/completions',
        body: {
          model: 'upstream-model',
          max_tokens: 1_000,
          stream: true,
          stream_options: { include_usage: true },
          messages: [{ role: 'user', content: 'Say something' }],
        },
      });
      expect(provider.requests[0]?.headers['accept-encoding']).toBe('identity');
      expect(provider.requests[0]?.headers['cdn-loop']).toBe('svc');
    });

    it('is bounded by the name that a vendor takes the limit by', async () => {
      const { id, provider } = await offerFrom(saying('x'), { outputLimitField: 'max_completion_tokens' });
      expect((await start([id]).ended()).type).toBe('end');
      expect(provider.requests[0]?.body).toMatchObject({ max_completion_tokens: 1_000 });
      expect(provider.requests[0]?.body).not.toHaveProperty('max_tokens');
    });

    it.each(['reasoning_content', 'reasoning', undefined] as const)(
      'is asked with what the model thought before where the server takes it: %s',
      async (reasoningField) => {
        const certified = {
          certificationId: 'certification',
          structuredOutputs: false,
          maxOutputTokens: 4_096,
        };
        const { id, provider } = await offerFrom(saying('x'), {
          certified: { ...certified, reasoningField },
        });
        const call = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] };
        const messages = [
          { role: 'user', content: 'hi' },
          { ...call, reasoning_content: 'hm' },
        ];
        expect((await start([id], { body: { messages } }).ended()).type).toBe('end');
        const told = reasoningField ? { ...call, [reasoningField]: 'hm' } : call;
        expect(provider.requests[0]?.body).toMatchObject({ messages: [messages[0], told] });
      },
    );

    it('pays nobody but the provider of the offer, whatever the plan says', async () => {
      const { id, provider } = await offerFrom(saying('x'));
      const [planned] = runRequest([id]).attempts;
      const attempts = [{ ...planned, provider: `0x${'e'.repeat(40)}` }] as RunAttempt[];
      expect((await start([id], { attempts }).ended()).type).toBe('failure');
      expect(provider.requests).toEqual([]);
    });

    it.each([
      ['of a provider', undefined],
      ['of a managed vendor', 'vendor'],
    ])(
      'pays no more than an offer %s asks, or asked a moment ago, whatever the plan says',
      async (_, mapping) => {
        const { id, provider } = await offerFrom(saying('x'), { mapping });
        const [planned] = runRequest([id]).attempts;
        const along = (fields: Partial<RunAttempt>) =>
          start([id], { attempts: [{ ...planned, mapping, ...fields }] as RunAttempt[] });
        for (const dearer of [{ inputPricePerMtok: '100001' }, { outputPricePerMtok: '4000000' }]) {
          const run = along(dearer);
          expect(await run.failed()).toMatchObject({ code: 'no_capacity' });
          expect(billing.of(run.request.requestId)).toMatchObject([
            { outcome: 'void', failure: { route: [{ outcome: 'offer_gone' }] } },
          ]);
        }
        expect(provider.requests).toEqual([]);

        const cheaper = { inputPricePerMtok: '50000', outputPricePerMtok: '200000' };
        await catalogue.offer(id, provider.url, { mapping, version: 2, ...cheaper });
        await dispatch.awaitOffer(id, 2);
        // The plan was made before.
        expect((await along({}).ended()).type).toBe('end');
        expect((await along({ ...cheaper, inputPricePerMtok: '100001' }).ended()).type).toBe('failure');
      },
    );

    it('passes a long conversation on as it came', async () => {
      const { id, provider } = await offerFrom(saying('x'));
      const body = {
        messages: Array.from({ length: 100 }, (_, index) => ({
          role: index % 2 ? 'assistant' : 'user',
          content: `"${index}" ,"body":{} é漢🙂 `.repeat(20),
        })),
        temperature: 0.5,
      };
      expect((await start([id], { body }).ended()).type).toBe('end');
      expect(provider.requests[0]?.body).toMatchObject({
        ...body,
        model: 'upstream-model',
        max_tokens: 1_000,
      });
    });

    it('is whole beside hundreds of others, whose connections are read at moments that all share', async () => {
      let mayEnd = false;
      const text = (words: number) => Array.from({ length: words }, (_, index) => `word ${index} `).join('');
      const said = new Set<string>();
      const speaking: Answer = (_request, response) => {
        let words = 0;
        const timer = setInterval(() => {
          if (!mayEnd) return writeEvents(response, chunk({ content: `word ${words++} ` }));
          clearInterval(timer);
          said.add(text(words));
          writeEvents(response, chunk({}, 'stop'), '[DONE]');
          response.end();
        }, 10);
      };
      const { id } = await offerFrom(speaking, { concurrency: 300 });
      const runs: TestRun[] = [];
      while (runs.length < 300) {
        runs.push(...Array.from({ length: 30 }, () => start([id])));
        await eventually(() => runs.every(({ frames }) => frames.some(({ type }) => type === 'data')));
      }
      // Each goes on while all of them rest again and again.
      const counts = runs.map(({ frames }) => frames.length);
      await eventually(() => runs.every(({ frames }, index) => frames.length > (counts[index] ?? NaN) + 5));
      mayEnd = true;
      for (const run of runs) {
        expect((await run.ended()).type).toBe('end');
        expect(said).toContain(run.content);
      }
    });

    it('is replaced unseen where all of it came at once and is invalid, in however many pieces', async () => {
      const { id: invalid } = await offerFrom((_request, response) => {
        response.cork();
        writeEvents(response, chunk({ content: 'never seen' }), 'not JSON');
        response.end();
        response.uncork();
      });
      const { id: honest } = await offerFrom(saying('Hello'));
      const run = start([invalid, honest]);
      expect((await run.ended()).type).toBe('end');
      expect(run.content).toBe('Hello');
    });

    it('comes in one piece, whether the provider streamed it or not', async () => {
      const { id, provider } = await offerFrom(saying('a plain reply that is long enough to judge by'));
      const expected = {
        object: 'chat.completion',
        model: 'svc/test@1',
        created: 1_700_000_000,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'a plain reply that is long enough to judge by' },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
        svc: { cost_usdc: '0.000003', provider: TEST_PROVIDER },
      };
      // An offer whose speed is unknown is asked for a stream, so that it can show that it lives.
      const modes = [];
      for (let turn = 0; turn < 2; turn++) {
        const run = start([id], { stream: false, maxTokens: 64 });
        expect((await run.ended()).type).toBe('end');
        expect(run.body).toMatchObject(expected);
        modes.push(provider.requests.at(-1)?.body.stream);
      }
      expect(modes).toEqual([true, false]);
    });

    it('is asked for again as a stream when a plain one takes longer than a first token may', async () => {
      let slow = false;
      const { id, provider } = await offerFrom(
        (request, response) => {
          if (slow && request.body.stream !== true) return;
          saying('a plain reply that is long enough to judge by')(request, response);
        },
        { ...PATIENT, firstTokenTimeoutMs: 2_500 },
      );
      await start([id], { stream: false, maxTokens: 64 }).ended();
      slow = true;
      const run = start([id], { stream: false, maxTokens: 64 });
      expect((await run.ended()).type).toBe('end');
      expect(provider.requests.map(({ body }) => body.stream)).toEqual([true, false, true]);
    });

    it('is accepted after 100 ms of silence, and never when something was sent before', async () => {
      const finish: (() => void)[] = [];
      const quick = await offerFrom((request, response) => {
        writeEvents(response, chunk({ content: 'quick' }));
        finish.push(() => saying('and on')(request, response));
      });
      const slow = await offerFrom((request, response) => {
        finish.push(() => saying('slow')(request, response));
      });
      const first = start([quick.id]);
      await eventually(() => first.content === 'quick');
      const second = start([slow.id]);
      await eventually(() => second.last?.type === 'accepted');
      for (const go of finish) go();
      await Promise.all([first.ended(), second.ended()]);
      // On a machine that stands still its first word may come late; what is silent after that is accepted no more.
      const said = first.frames.slice(first.frames.findIndex(({ type }) => type === 'data'));
      expect(said.map(({ type }) => type)).not.toContain('accepted');
      expect(second.frames.map(({ type }) => type).lastIndexOf('accepted')).toBe(0);
      expect(second.frames[0]).toMatchObject({ type: 'accepted', sequence: 0 });
    });

    it('carries checked tool calls with our ids', async () => {
      const { id } = await offerFrom((_request, response) => {
        const piece = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });
        writeEvents(
          response,
          piece({ id: 'x', type: 'function', function: { name: 'weather', arguments: '' } }),
          piece({ function: { arguments: '{"city":' } }),
          piece({ function: { arguments: '"Oslo"}' } }),
          chunk({}, 'tool_calls'),
          '[DONE]',
        );
        response.end();
      });
      const body = {
        messages: [{ role: 'user', content: 'weather?' }],
        tools: [{ type: 'function', function: { name: 'weather' } }],
      };
      const streamed = start([id], { body });
      await streamed.ended();
      expect(streamed.chunks[0]?.choices).toMatchObject([
        {
          delta: {
            role: 'assistant',
            tool_calls: [
              { index: 0, type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
            ],
          },
        },
      ]);
      expect(streamed.text).toMatch(/"id":"[A-Za-z0-9]{9}"/);
      const plain = start([id], { body, stream: false });
      await plain.ended();
      expect(plain.body.choices).toMatchObject([{ finish_reason: 'tool_calls', message: { content: null } }]);
    });
  });

  describe('failover', () => {
    type Case = [name: string, answer: Answer, limits?: object];
    const silent: Answer = () => undefined;
    const unavailable: Case[] = [
      ['answers 500', (_r, response) => writeJson(response, { error: { message: 'secret words' } }, 500)],
      ['answers 429', (_r, response) => writeJson(response, {}, 429)],
      ['redirects', (_r, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
      ['hangs before the first token', silent, QUICK],
      ['hangs after its headers', (_r, response) => writeEvents(response), QUICK],
      [
        'hangs after its role',
        (_r, response) => writeEvents(response, chunk({ role: 'assistant', content: '' })),
        QUICK,
      ],
      [
        'sends comments and empty chunks for ever',
        (_r, response) => {
          const timer = setInterval(() => {
            response.write(': keep-alive\n\n');
            writeEvents(response, chunk({ content: '' }));
          }, 50);
          response.on('close', () => clearInterval(timer));
          writeEvents(response, chunk({ role: 'assistant', content: '' }));
        },
        QUICK,
      ],
      ['breaks off', (_r, response) => response.destroy()],
      [
        'breaks off after its role',
        (_r, response) => {
          writeEvents(response, chunk({ role: 'assistant' }));
          setTimeout(() => response.destroy(), 20);
        },
      ],
      [
        'says in its stream that it failed',
        (_r, response) => writeEvents(response, { error: { message: 'secret words' } }),
      ],
    ];
    const end = (response: Parameters<Answer>[1], ...events: (object | string)[]) => {
      writeEvents(response, ...events);
      response.end();
    };
    const invalid: Case[] = [
      [
        'sends HTML',
        (_r, response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>secret words</h1>'),
      ],
      [
        'sends no events',
        (_r, response) =>
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end('secret words'),
      ],
      ['sends events that are no JSON', (_r, response) => end(response, 'secret words')],
      [
        'sends compressed bytes',
        (_r, response) =>
          response
            .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
            .end('x'),
      ],
      ['ends without finish_reason', (_r, response) => end(response, chunk({ role: 'assistant' }), '[DONE]')],
      [
        'sends a broken tool call',
        (_r, response) =>
          end(
            response,
            chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'weather', arguments: '{"ci' } }] }),
            chunk({}, 'tool_calls'),
          ),
      ],
      [
        'sends headers without end',
        (_r, response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      ],
      ['sends an event without end', (_r, response) => writeEvents(response, 'x'.repeat(3_000_000))],
    ];
    const tools = { messages: [], tools: [{ type: 'function', function: { name: 'weather' } }] };

    it.each(unavailable)(
      'a provider that %s: the next serves unseen; alone it is no_capacity',
      async (_, answer, limits = {}) => {
        const { id } = await offerFrom(answer, limits);
        await expectFailover(id, 'no_capacity');
      },
    );

    it.each(invalid)(
      'a provider that %s: the next serves unseen; alone it is provider_output_invalid',
      async (_, answer) => {
        const { id } = await offerFrom(answer);
        await expectFailover(id, 'provider_output_invalid');
      },
    );

    it.each([400, 413, 422])('a provider that answers %d: alone it is invalid_request', async (status) => {
      const { id } = await offerFrom((_r, response) =>
        writeJson(response, { error: { message: 'secret words' } }, status),
      );
      await expectFailover(id, 'invalid_request');
    });

    it('a provider that refuses connections', async () => {
      const { url } = await startFaultyProvider('refuse-connection');
      await expectFailover(await offerAt(url), 'no_capacity');
    });

    it('a provider at an address that is not permitted', async () => {
      await expectFailover(await offerAt('http://[::1]:9/v1'), 'no_capacity');
      await expectFailover(await offerAt('http://192.168.255.1:9/v1'), 'no_capacity');
      await expectFailover(await offerAt('http://nobody@127.0.0.1:9/v1'), 'no_capacity');
      expect(await dispatch.metric(/attempts_total.*address_refused/)).toBeGreaterThan(0);
    });

    it('a provider that speaks no HTTP', async () => {
      const server: Server = createServer((socket) => {
        socket.on('data', () => socket.end('220 mail.example ESMTP\r\n'));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        await expectFailover(await offerAt(`http://127.0.0.1:${port}/v1`), 'provider_output_invalid');
      } finally {
        server.close();
      }
    });

    it('an offer that was withdrawn', async () => {
      const { id } = await offerFrom(saying('x'));
      await start([id]).ended();
      await catalogue.withdraw(id);
      await eventually(async () => {
        const run = start([id]);
        return (await run.ended()).type === 'failure';
      });
    });

    it('an offer that is over, though the catalogue has not taken it from the view', async () => {
      const { id, provider } = await offerFrom(saying('x'), { endsAtMs: Date.now() + HOUR_MS });
      expect((await start([id]).ended()).type).toBe('end');
      const endsAtMs = Date.now() + 500;
      await catalogue.offer(id, provider.url, { endsAtMs });
      await eventually(async () => (await start([id]).ended()).type === 'failure');
      expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs);
    });

    async function expectFailover(bad: string, code: string): Promise<void> {
      const good = await offerFrom(saying('from the next'));
      for (const stream of [true, false]) {
        const both = start([bad, good.id], { stream, body: tools });
        expect((await both.ended()).type).toBe('end');
        expect(both.words).toBe('from the next');
        expect(both.text).not.toContain('secret words');
        expect(billing.of(both.request.requestId)).toMatchObject([
          { outcome: 'post', usage: { offerId: good.id } },
        ]);
        const alone = start([bad], { stream, body: tools });
        const error = await alone.failed();
        expect(error.code).toBe(code);
        // What is refused for good is not to be sent again.
        expect(typeof error.retryAfterSeconds).toBe(code === 'invalid_request' ? 'undefined' : 'number');
        expect(JSON.stringify(error)).not.toContain('secret words');
        // The hold is freed before the client is told.
        const failure = { code, attempts: expect.any(Number) as number, route: [{ offerId: bad }] };
        expect(billing.of(alone.request.requestId)).toMatchObject([
          { outcome: 'void', reason: code, failure },
        ]);
      }
    }

    it('a plain reply that no frame can carry is refused, not fatal', async () => {
      const huge = 'x'.repeat(8 * 1024 * 1024 - 300);
      const { id } = await offerFrom((_r, response) =>
        writeJson(response, { choices: [{ message: { content: huge }, finish_reason: 'stop' }] }),
      );
      const run = start([id], { stream: false, maxTokens: 100_000 });
      expect(await run.failed()).toMatchObject({ code: 'provider_output_invalid' });
      expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void' }]);
      const tooLong = await offerFrom((_r, response) => writeJson(response, { x: `${huge}${huge}` }));
      expect(await start([tooLong.id], { stream: false }).failed()).toMatchObject({
        code: 'provider_output_invalid',
      });
    });

    it('goes on to the next when an offer is at its concurrency, and says so when all are', async () => {
      const release: (() => void)[] = [];
      const full = await offerFrom(
        (request, response) => release.push(() => saying('late')(request, response)),
        { concurrency: 1 },
      );
      const next = await offerFrom(saying('next'));
      const first = start([full.id]);
      await eventually(() => release.length === 1);
      const second = start([full.id, next.id]);
      expect((await second.ended()).type).toBe('end');
      expect(second.words).toBe('next');
      expect(await start([full.id]).failed()).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 5 });
      release[0]?.();
      expect((await first.ended()).type).toBe('end');
      const third = start([full.id, next.id]);
      await eventually(() => release.length === 2);
      release[1]?.();
      expect((await third.ended()).type).toBe('end');
      expect(third.words).toBe('late');
    });
  });

  describe('after the first token', () => {
    it.each<[name: string, goOn: (response: ServerResponse) => void, limits?: object]>([
      ['breaks off', (response) => response.destroy()],
      ['falls silent', () => undefined, QUICK_AFTER_FIRST_TOKEN],
      ['sends garbage', (response) => writeEvents(response, 'garbage')],
      ['ends without finish_reason', (response) => response.end('data: [DONE]\n\n')],
    ])('a provider that %s: a failure, no charge, no other provider', async (_, goOn, limits = {}) => {
      let begun!: (response: ServerResponse) => void;
      const response = new Promise<ServerResponse>((resolve) => (begun = resolve));
      const { id, provider } = await offerFrom((_r, each) => {
        writeEvents(each, chunk({ content: 'half a ' }));
        begun(each);
      }, limits);
      const other = await offerFrom(saying('other'));
      const run = start([id, other.id]);
      // Only what has left cannot be replaced.
      await eventually(() => run.content === 'half a ');
      goOn(await response);
      expect(await run.failed()).toMatchObject({ code: 'provider_output_invalid' });
      expect(run.text).toContain('half a ');
      expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void' }]);
      expect(other.provider.requests).toHaveLength(0);
      await eventually(() => provider.requests[0]?.closedByCaller !== undefined);
    });

    it('a missing [DONE] or usage does not matter', async () => {
      const { id } = await offerFrom((_r, response) => {
        writeEvents(response, chunk({ content: 'twelve bytes' }), chunk({}, 'stop'));
      }, QUICK_AFTER_FIRST_TOKEN);
      const run = start([id]);
      expect((await run.ended()).type).toBe('end');
      // "Say something" and a message's frame; twelve bytes.
      expect(lastUsage(run)).toMatchObject({ tokenSource: 'counted', promptTokens: 8, completionTokens: 3 });
    });

    it('a provider that writes on beyond max_tokens is paid for max_tokens, by the payer, and by nobody for the rest', async () => {
      const { id } = await offerFrom(
        saying('x'.repeat(4_000), { prompt_tokens: 0, completion_tokens: 4_000, total_tokens: 4_000 }),
      );
      const run = start([id], { maxTokens: 50 });
      await run.ended();
      // Tokens and pinned prices, and no amount beside them.
      expect(lastUsage(run)).toEqual({
        route: [{ offerId: id, why: 'the test says so', outcome: 'served' }],
        ...{ model: 'svc/test@1', offerId: id, provider: expect.any(String) as string },
        ...{ inputPricePerMtok: '100000', outputPricePerMtok: '400000' },
        ...{
          promptTokens: 0,
          completionTokens: 50,
          tokenSource: 'provider',
          attempts: 1,
          finishReason: 'stop',
        },
        firstTokenMs: expect.any(Number) as number,
        totalMs: expect.any(Number) as number,
      });
      expect(await dispatch.metric(/unpaid_claims_base_units_total/)).toBeGreaterThan(0);
    });

    it('a provider that lies about usage is believed as far as its bytes go', async () => {
      const lie = { prompt_tokens: 1_000_000, completion_tokens: 999_999, total_tokens: 1 };
      const { id } = await offerFrom(saying('four', lie));
      const run = start([id], { includeUsage: true });
      await run.ended();
      expect(lastUsage(run)).toMatchObject({
        tokenSource: 'capped',
        promptTokens: 100,
        completionTokens: 20,
      });
      expect(run.chunks.at(-1)).toMatchObject({
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
        svc: { cost_usdc: '0.000018' },
      });
      expect(await dispatch.metric(/usage_adjusted_total.*capped/)).toBeGreaterThan(0);
    });

    it('a provider is not paid for calls beyond the one that was wanted, which nobody gets', async () => {
      const call = (index: number, args: string) => ({
        ...{ index, id: `${index}`, type: 'function', function: { name: 'weather', arguments: args } },
      });
      const { id } = await offerFrom((_r, response) => {
        writeEvents(
          response,
          chunk({ tool_calls: [call(0, '{}'), call(1, `{"city":"${'x'.repeat(2_000)}"}`)] }),
        );
        const usage = { prompt_tokens: 10, completion_tokens: 900, total_tokens: 910 };
        writeEvents(response, chunk({}, 'tool_calls'), { choices: [], usage }, '[DONE]');
        response.end();
      });
      const tools = [{ type: 'function', function: { name: 'weather' } }];
      const run = start([id], { stream: false, body: { messages: [], tools, parallel_tool_calls: false } });
      expect((await run.ended()).type).toBe('end');
      expect(run.body.choices).toMatchObject([
        { message: { tool_calls: [{ function: { arguments: '{}' } }] } },
      ]);
      // Nine bytes, and what a reply and a call may have beside their bytes.
      expect(lastUsage(run)).toMatchObject({ tokenSource: 'capped', completionTokens: 57 });
    });
  });

  describe('settlement', () => {
    it('says a cost of 0 when the hold was lost', async () => {
      const { id } = await offerFrom(saying('x'));
      billing.answer = () => ({ state: 'late', charged: '0' });
      const run = start([id]);
      expect((await run.ended()).type).toBe('end');
      billing.answer = TestBilling.usual;
      expect(run.chunks.at(-1)).toMatchObject({ svc: { cost_usdc: '0.000000' } });
    });

    it('says a cost of 0 when billing refuses it, which it would again', async () => {
      const { id } = await offerFrom(saying('x'));
      billing.answer = () => invalidRequest('The served usage costs more than the ledger takes.', 'usage');
      const run = start([id]);
      expect((await run.ended()).type).toBe('end');
      billing.answer = TestBilling.usual;
      expect(run.chunks.at(-1)).toMatchObject({ svc: { cost_usdc: '0.000000' } });
      expect(billing.of(run.request.requestId)).toHaveLength(1);
      expect(await billing.deferred(run.request.requestId)).toEqual([]);
    });

    it('goes by the durable queue while billing is away, and the reply goes on', async () => {
      const { id } = await offerFrom(saying('x'));
      const bad = await offerFrom((_r, response) => writeJson(response, {}, 500));
      await billing.goAway();
      const [good, failed] = [start([id], { stream: false }), start([bad.id])];
      expect((await good.ended()).type).toBe('end');
      await failed.failed();
      await billing.comeBack();
      expect(good.body).toMatchObject({ svc: { cost_usdc: '0.000003' } });
      expect(await billing.awaitDeferred(good.request.requestId)).toMatchObject([
        { outcome: 'post', usage: { offerId: id } },
      ]);
      expect(await billing.awaitDeferred(failed.request.requestId)).toMatchObject([{ outcome: 'void' }]);
    });

    it('goes to billing all the same when the queue takes nothing: a charge, and what takes one back', async () => {
      const { id } = await offerFrom(saying('x'));
      const openQueue = await billing.closeQueue();
      billing.answer = () => internalError();
      const late = start([id]);
      expect((await late.ended()).type).toBe('end');
      gateway.confirms = false;
      const undelivered = start([id]);
      await undelivered.ended();
      gateway.confirms = true;
      billing.answer = TestBilling.usual;
      const settled = (run: TestRun) => billing.of(run.request.requestId).map(({ outcome }) => outcome);
      try {
        await eventually(() => settled(undelivered).includes('abandon'), { timeoutMs: 30_000 });
        await eventually(async () => (await dispatch.metric(/^svc_dispatch_settlements_pending/)) === 0);
      } finally {
        await openQueue();
      }
      expect(settled(late).length).toBeGreaterThan(1);
      expect(await billing.deferred(late.request.requestId)).toEqual([]);
    });

    it.each([
      ['internal_error', internalError()],
      ['no_capacity', noCapacity('The database is away.', 2)],
    ])(
      'goes by the durable queue when billing could not do it, which is no refusal: %s',
      async (_, error) => {
        const { id } = await offerFrom(saying('x'));
        billing.answer = () => error;
        const run = start([id]);
        expect((await run.ended()).type).toBe('end');
        billing.answer = TestBilling.usual;
        expect(run.chunks.at(-1)).toMatchObject({ svc: { cost_usdc: '0.000003' } });
        expect(await billing.awaitDeferred(run.request.requestId)).toMatchObject([{ outcome: 'post' }]);
      },
    );
  });

  describe('a client that hangs up', () => {
    const endless: Answer = (_r, response) => {
      const timer = setInterval(() => writeEvents(response, chunk({ content: 'word ' })), 20);
      response.on('close', () => clearInterval(timer));
    };

    it('stops the provider and pays for what it saw', async () => {
      const { id, provider } = await offerFrom(endless);
      const run = start([id]);
      await eventually(() => run.content.length >= 15);
      run.cancel();
      await eventually(() => provider.requests[0]?.closedByCaller === true);
      const [posted] = await eventually(() => {
        const settled = billing.of(run.request.requestId);
        return settled.length > 0 ? settled : undefined;
      });
      expect(posted).toMatchObject({
        outcome: 'post',
        usage: { tokenSource: 'counted', finishReason: 'cancelled', promptTokens: 8 },
      });
      expect(posted?.usage?.completionTokens).toBeGreaterThanOrEqual(4);
      // The gateway, which has nobody to tell, learns that it can forget the run.
      expect((await run.ended()).type).toBe('failure');
    });

    it('is none that others have JetStream speak of', async () => {
      const { id } = await offerFrom(endless);
      const run = start([id]);
      await eventually(() => run.content.length >= 15);
      const reply = DISPATCH_SUBJECTS.cancel(run.request.requestId);
      const { connection } = await nats.connectAs('dispatch');
      const forged = connection.subscribe(reply);
      await connection.flush();
      (await nats.connectAs('cortex')).connection.publish('$JS.API.INFO', '', { reply });
      await eventually(() => forged.getReceived() === 1);
      const before = run.content.length;
      await eventually(() => run.content.length >= before + 50);
      run.cancel();
      await run.ended();
    });

    it('does not pay for a call of which it saw nothing', async () => {
      const tools = [{ type: 'function', function: { name: 'weather' } }];
      const piece = (fields: object) => chunk({ tool_calls: [{ index: 0, function: fields }] });
      const { id, provider } = await offerFrom((_r, response) => {
        writeEvents(response, chunk({ content: 'word' }), piece({ name: 'weather', arguments: '{"city":"' }));
        writeEvents(response, piece({ arguments: 'x'.repeat(3_000) }), chunk({ content: ' and on' }));
      });
      const run = start([id], { body: { messages: [], tools } });
      await eventually(() => run.content === 'word and on');
      run.cancel();
      await eventually(() => provider.requests[0]?.closedByCaller === true);
      const usage = await eventually(() => lastUsage(run));
      expect(usage).toMatchObject({ finishReason: 'cancelled', completionTokens: 3 });
    });

    it('pays nothing when it saw nothing', async () => {
      const { id, provider } = await offerFrom(endless);
      const run = start([id], { stream: false });
      await eventually(() => provider.requests.length === 1);
      run.cancel();
      await eventually(() => provider.requests[0]?.closedByCaller === true);
      await eventually(() => billing.of(run.request.requestId)[0]?.outcome === 'void');
      // Nobody was told anything.
      const [voided] = billing.of(run.request.requestId);
      expect(voided).toMatchObject({
        reason: 'cancelled',
        failure: { attempts: 1, route: [{ outcome: 'stopped' }] },
      });
      expect(voided?.failure).not.toHaveProperty('code');
    });

    it('has its charge taken back when it left while billing was at work, and saw nothing', async () => {
      const { id } = await offerFrom(saying('x'));
      billing.answer = () => {
        run.cancel();
        return undefined;
      };
      const run = start([id], { stream: false });
      await run.failed();
      billing.answer = TestBilling.usual;
      const outcomes = await eventually(async () => {
        const deferred = await billing.deferred(run.request.requestId);
        return deferred.length > 1 && deferred.map(({ outcome }) => outcome);
      });
      expect(outcomes).toEqual(['post', 'abandon']);
    });
  });

  it('tells how long the client waited: with the attempts that failed before', async () => {
    const slow = await offerFrom((_r, response) => void setTimeout(() => response.destroy(), 60));
    const good = await offerFrom(saying('from the next'));
    const run = start([slow.id, good.id]);
    expect((await run.ended()).type).toBe('end');
    const { firstTokenMs = 0, totalMs = 0 } = lastUsage(run) ?? {};
    expect(firstTokenMs).toBeGreaterThanOrEqual(50);
    expect(totalMs).toBeGreaterThanOrEqual(firstTokenMs);
  });

  it('asks the next when a reply is too large to be handed on in one piece', async () => {
    const megabyte = 'x'.repeat(1024 * 1024);
    const { id } = await offerFrom((_request, response) => {
      const words = Array.from({ length: 9 }, () => chunk({ content: megabyte }));
      writeEvents(response, ...words, chunk({}, 'stop'), '[DONE]');
      response.end();
    });
    const brief = await offerFrom(saying('brief'));
    const fields = { stream: false, maxTokens: 100_000 };
    expect(await start([id], fields).failed()).toMatchObject({ code: 'provider_output_invalid' });
    const run = start([id, brief.id], fields);
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('brief');
    expect(lastUsage(run)?.offerId).toBe(brief.id);
  });

  describe("an endpoint's credential", () => {
    const seal = (endpoint: string, credential: string) =>
      new CredentialSealer(credentialPublicKeyOf(TEST_CREDENTIAL_KEY)).seal(
        { provider: TEST_PROVIDER, endpoint },
        credential,
      );

    it('goes to that endpoint only, and a new version brings a new one', async () => {
      const [mine, other] = await Promise.all([startProvider(saying('x')), startProvider(saying('y'))]);
      providers.push(mine, other);
      const id = await offerAt(mine.url, { credential: seal(mine.url, 'first') });
      await start([id]).ended();
      await start([await offerAt(other.url)]).ended();
      expect(mine.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first']);
      expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
      await catalogue.offer(id, mine.url, { version: 2, credential: seal(mine.url, 'second') });
      await eventually(async () => {
        await start([id]).ended();
        return mine.requests.at(-1)?.headers.authorization === 'Bearer second';
      });
    });

    it('that cannot be read fails the offer: the next serves, and the endpoint hears nothing', async () => {
      const mine = await startProvider(saying('x'));
      providers.push(mine);
      const id = await offerAt(mine.url, { credential: seal('http://127.0.0.1:1/v1', 'stolen') });
      const next = await offerFrom(saying('from the next'));
      expect(await start([id]).failed()).toMatchObject({ code: 'no_capacity' });
      const run = start([id, next.id]);
      expect((await run.ended()).type).toBe('end');
      expect(run.words).toBe('from the next');
      expect(mine.requests).toEqual([]);
      expect(
        await dispatch.metric(new RegExp(`attempts_total.*${id}".*credential_unreadable`)),
      ).toBeGreaterThan(0);
    });
  });

  describe('a slow client', () => {
    /** Short, for the test has to outlast it; long enough for a machine that stands still while the provider does write. */
    const SLOW_CLIENT_CHUNK_MS = 2_000;

    it('slows the provider, and gets everything once it reads on', async () => {
      const letters = 'x'.repeat(8_000);
      const total = 1_000;
      let written = 0;
      const { id } = await offerFrom(
        (_r, response) => {
          const more = () => {
            while (written < total) {
              written++;
              const event = `data: ${JSON.stringify(chunk({ content: letters }))}\n\n`;
              if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
              if (!response.write(event)) return void response.once('drain', more);
            }
            writeEvents(response, chunk({}, 'stop'), '[DONE]');
            response.end();
          };
          more();
        },
        { ...PATIENT, chunkTimeoutMs: SLOW_CLIENT_CHUNK_MS },
      );
      gateway.grants = false;
      const run = start([id], { maxTokens: 100_000 });
      await eventually(() => run.text.length >= 256 * 1024);
      // For longer than the provider's chunk timeout nothing moves: it is not the provider who is silent.
      let seen = -1;
      let sinceMs = 0;
      await eventually(() => {
        if (written !== seen) sinceMs = performance.now();
        seen = written;
        return performance.now() - sinceMs > SLOW_CLIENT_CHUNK_MS + 500;
      });
      expect(written).toBeLessThan(total);
      expect(run.text.length).toBeLessThan(256 * 1024 + 128 * 1024);
      expect(run.last?.type).toBe('data');
      gateway.grants = true;
      run.grant(run.text.length);
      expect((await run.ended()).type).toBe('end');
      expect(run.content).toHaveLength(letters.length * total);
    });
  });

  describe('whoever is told success pays, nobody else', () => {
    it('takes the charge back when no delivery is confirmed', async () => {
      const { id } = await offerFrom(saying('x'));
      gateway.confirms = false;
      const run = start([id]);
      await run.ended();
      gateway.confirms = true;
      const confirmed = start([id]);
      await confirmed.ended();
      const [abandoned] = await billing.awaitDeferred(run.request.requestId);
      expect(abandoned).toMatchObject({ outcome: 'abandon', reason: 'undelivered' });
      // As long as a charge may yet be taken back it is not known that this one stands.
      for (const pending of [/^svc_dispatch_deliveries_pending/, /^svc_dispatch_settlements_pending/])
        await eventually(async () => (await dispatch.metric(pending)) === 0);
      expect(await billing.deferred(confirmed.request.requestId)).toEqual([]);
    });

    it('takes the charge back when its client is gone after the end, of which it saw no part', async () => {
      let goOn: () => void = () => undefined;
      const inTwo = await offerFrom((_request, response) => {
        writeEvents(response, chunk({ content: 'x' }));
        goOn = () => {
          writeEvents(response, chunk({}, 'stop'), '[DONE]');
          response.end();
        };
      });
      const { id } = await offerFrom(saying('x'));
      gateway.confirms = false;
      const [seen, unseen] = [start([inTwo.id]), start([id], { stream: false })];
      await eventually(() => seen.content === 'x');
      goOn();
      await Promise.all([seen.ended(), unseen.ended()]);
      gateway.confirms = true;
      for (const run of [seen, unseen]) run.cancel();
      const [abandoned] = await billing.awaitDeferred(unseen.request.requestId);
      expect(abandoned).toMatchObject({ outcome: 'abandon', reason: 'cancelled' });
      for (const pending of [/^svc_dispatch_deliveries_pending/, /^svc_dispatch_settlements_pending/])
        await eventually(async () => (await dispatch.metric(pending)) === 0);
      expect(await billing.deferred(seen.request.requestId)).toEqual([]);
    });

    it('stops and frees the runs of a gateway that fell silent', async () => {
      const { id, provider } = await offerFrom(() => undefined);
      const done = await offerFrom(saying('x'));
      const doomed = await TestGateway.start(nats);
      doomed.confirms = false;
      const underWay = doomed.run(runRequest([id]));
      const ended = doomed.run(runRequest([done.id]));
      await ended.ended();
      await eventually(() => provider.requests.length === 1);
      doomed.stopBeating();
      await eventually(() => provider.requests[0]?.closedByCaller === true);
      for (const run of [underWay, ended]) {
        expect((await billing.awaitDeferred(run.request.requestId))[0]).toMatchObject({ outcome: 'abandon' });
      }
      // Should it only have stood still, its client is told.
      expect(await underWay.failed()).toMatchObject({ code: 'no_capacity' });
    });

    it('is stopped by a cancel that overtakes the message that starts it', async () => {
      const { id, provider } = await offerFrom(saying('x'));
      const request = runRequest([id]);
      gateway.cancel(request);
      const run = gateway.run(request);
      expect(await run.failed()).toMatchObject({ code: 'no_capacity' });
      expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void', reason: 'cancelled' }]);
      expect(provider.requests).toEqual([]);
    });

    it('is stopped by a cancel that comes with the message that starts it, whichever is taken first', async () => {
      const { id } = await offerFrom(() => undefined);
      const run = start([id]);
      run.cancel();
      expect(await run.failed()).toMatchObject({ code: 'no_capacity' });
      expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void', reason: 'cancelled' }]);
    });
  });

  describe('messages that are no runs', () => {
    it('are refused, counted, answered with a failure where there is somebody to answer, and disturb nothing', async () => {
      const before = await dispatch.metric(/messages_refused_total.*malformed/);
      for (const payload of [
        '',
        '{',
        'null',
        '[]',
        '{"requestId":1}',
        '\u0000',
        '{"__proto__":{}}',
        '['.repeat(20_000),
      ]) {
        gateway.publish(payload);
        gateway.publish(payload, '_INBOX.gateway.zzzz.1');
        gateway.publish(payload, '_INBOX.somebody');
      }
      const run = start([], { attempts: 'none' } as never);
      expect(await run.failed()).toMatchObject({ code: 'internal_error' });
      const { id } = await offerFrom(saying('still alive'));
      expect((await start([id]).ended()).type).toBe('end');
      expect(await dispatch.metric(/messages_refused_total.*malformed/)).toBeGreaterThan(before);
    });

    it('a run that is known already is not started again', async () => {
      const answer: (() => void)[] = [];
      const { id, provider } = await offerFrom((request, response) =>
        answer.push(() => saying('once')(request, response)),
      );
      const later = await offerFrom(saying('later'));
      const request = runRequest([id]);
      const run = gateway.run(request);
      gateway.publish(JSON.stringify(request), '_INBOX.gateway.zzzz.1');
      // What came before this one has been taken by its end, and the first is still under way.
      expect((await start([later.id]).ended()).type).toBe('end');
      await eventually(() => answer.length > 0);
      for (const go of answer) go();
      expect((await run.ended()).type).toBe('end');
      expect(provider.requests).toHaveLength(1);
    });
  });

  it('is ready once it has NATS and the offers', async () => {
    const { status, body } = await dispatch.get('/health/ready');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ info: { nats: { status: 'up' }, offers: { status: 'up' } } });
  });

  it('leaves nothing behind', async () => {
    await eventually(
      async () =>
        (await dispatch.metric(/^svc_dispatch_runs_in_flight/)) === 0 &&
        (await dispatch.metric(/^svc_dispatch_deliveries_pending/)) === 0 &&
        (await dispatch.metric(/^svc_dispatch_settlements_pending/)) === 0,
      { intervalMs: 200 },
    );
  });
});
