import { CredentialSealer, credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import { probeContracts } from '@svc/contracts';
import type { ProbeCallRequest, ProbeObservation } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { PrivateNats, eventually } from '@svc/testing';
import { chunk, saying, startProvider, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer, TestProvider } from './testing/provider.for-spec';
import { TEST_PROVIDER } from './testing/run-request.for-spec';
import { RunningDispatch, TEST_CREDENTIAL_KEY } from './testing/running-dispatch.for-spec';

const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

describe('probes', () => {
  let nats: PrivateNats;
  let dispatch: RunningDispatch;
  let rpc: RpcClient;
  const providers: TestProvider[] = [];

  beforeAll(async () => {
    nats = await PrivateNats.start();
    rpc = new RpcClient(await nats.connectAs('catalog'));
    dispatch = await RunningDispatch.start(nats);
  });
  afterAll(async () => {
    await dispatch.stop();
    await nats.close();
    await Promise.all(providers.map((provider) => provider.close()));
  });

  async function providerThat(answer: Answer): Promise<TestProvider> {
    const provider = await startProvider(answer);
    providers.push(provider);
    return provider;
  }

  function call(endpoint: string, fields: Partial<ProbeCallRequest> = {}): Promise<ProbeObservation> {
    return rpc.call(probeContracts.call, {
      provider: TEST_PROVIDER,
      endpoint,
      upstreamModel: 'upstream-model',
      stream: true,
      maxTokens: 64,
      firstTokenTimeoutMs: 30_000,
      chunkTimeoutMs: 30_000,
      timeoutMs: 40_000,
      until: 'end',
      body: { messages: [{ role: 'user', content: 'Say something' }] },
      ...fields,
    });
  }

  const sealed = (endpoint: string, credential: string, key = TEST_CREDENTIAL_KEY) =>
    new CredentialSealer(credentialPublicKeyOf(key)).seal({ provider: TEST_PROVIDER, endpoint }, credential);

  describe('call', () => {
    it.each([true, false])('observes a reply (stream: %s)', async (stream) => {
      const provider = await providerThat(saying('The quick brown fox'));
      const observed = await call(provider.url, { stream });
      expect(observed).toMatchObject({
        outcome: 'replied',
        status: 200,
        reply: {
          content: 'The quick brown fox',
          toolCalls: [],
          finishReason: 'stop',
          usage: { promptTokens: 11, completionTokens: 4 },
          outputBytes: 19,
        },
      });
      expect(observed.failure).toBeUndefined();
      expect(JSON.parse(observed.sent)).toEqual(provider.requests[0]?.body);
      expect(provider.requests[0]).toMatchObject({
        path: '/v1/chat/completions',
        body: { model: 'upstream-model', max_tokens: 64, stream },
      });
      expect(observed.received).toContain('quick');
      expect(observed.receivedBytes).toBeGreaterThanOrEqual(Buffer.byteLength(observed.received));
      expect(observed.firstTokenMs).toBeGreaterThan(0);
      expect(observed.totalMs).toBeGreaterThanOrEqual(observed.firstTokenMs ?? Infinity);
    });

    it.each([true, false])('observes tool calls as they were sent (stream: %s)', async (stream) => {
      const { url } = await providerThat((_request, response) => {
        const call = {
          id: 'theirs',
          type: 'function',
          function: { name: 'weather', arguments: '{ "a": 1 }' },
        };
        if (stream) {
          writeEvents(
            response,
            chunk({ tool_calls: [{ index: 0, ...call }] }),
            chunk({}, 'tool_calls'),
            '[DONE]',
          );
          response.end();
          return;
        }
        const message = { role: 'assistant', content: null, tool_calls: [call] };
        writeJson(response, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
      });
      const body = { messages: [{ role: 'user', content: 'weather?' }], tools: [WEATHER] };
      expect((await call(url, { stream, body })).reply).toMatchObject({
        content: null,
        finishReason: 'tool_calls',
        toolCalls: [{ id: 'theirs', name: 'weather', arguments: '{ "a": 1 }' }],
      });
    });

    it.each<[string, Answer, object, Partial<ProbeCallRequest>?]>([
      [
        'what must not be delivered',
        (_r, response) => {
          writeEvents(response, chunk({ content: 'x' }), '[DONE]');
          response.end();
        },
        { failure: { kind: 'invalid', reason: 'no_finish_reason' }, status: 200 },
      ],
      [
        'a refusal, with what it says',
        (_r, response) => writeJson(response, { error: { message: 'no such model' } }, 404),
        {
          failure: { kind: 'unavailable', reason: 'status_4xx' },
          status: 404,
          received: expect.stringContaining('no such model') as unknown,
        },
      ],
      [
        'silence',
        () => undefined,
        { failure: { kind: 'unavailable', reason: 'first_token_timeout' }, received: '', receivedBytes: 0 },
        { firstTokenTimeoutMs: 1_000 },
      ],
    ])('observes %s', async (_, answer, expected, fields = {}) => {
      const { url } = await providerThat(answer);
      const observed = await call(url, fields);
      expect(observed).toMatchObject({ outcome: 'failed', ...expected });
      expect(observed.reply).toBeUndefined();
    });

    it('is over after its time, however steadily the endpoint drips', async () => {
      const provider = await providerThat((_request, response) => {
        const drip = setInterval(() => writeEvents(response, chunk({ content: 'x' })), 50);
        response.on('close', () => clearInterval(drip));
      });
      const observed = await call(provider.url, { timeoutMs: 600 });
      expect(observed).toMatchObject({ outcome: 'failed', failure: { reason: 'total_timeout' } });
      expect(observed.totalMs).toBeGreaterThan(550);
      await eventually(() => provider.requests[0]?.closedByCaller);
    });

    it('hangs up after the first token when asked to', async () => {
      const provider = await providerThat((_request, response) => {
        const drip = setInterval(() => writeEvents(response, chunk({ content: 'x' })), 50);
        response.on('close', () => clearInterval(drip));
      });
      const observed = await call(provider.url, { until: 'first_token' });
      expect(observed).toMatchObject({ outcome: 'left', status: 200 });
      // By itself it would never be over.
      expect(observed.firstTokenMs).toBeGreaterThan(0);
      await eventually(() => provider.requests[0]?.closedByCaller);
    });

    it('takes no reply that is too large to be told', async () => {
      const { url } = await providerThat((_request, response) => {
        const words = Array.from({ length: 9 }, () => chunk({ content: 'x'.repeat(1024 * 1024) }));
        writeEvents(response, ...words, chunk({}, 'stop'), '[DONE]');
        response.end();
      });
      expect(await call(url, { maxTokens: 1_000_000, stream: false })).toMatchObject({
        outcome: 'failed',
        failure: { kind: 'invalid', reason: 'too_large' },
      });
    });

    it('calls no address that is not allowed', async () => {
      expect(await call('http://169.254.169.254/v1')).toMatchObject({
        outcome: 'failed',
        failure: { kind: 'unavailable', reason: 'address_refused' },
        received: '',
      });
    });

    it('counts apart from attempts, and leaves nothing behind', async () => {
      expect(await dispatch.metric(/^svc_dispatch_attempts_total/)).toBe(0);
      expect(
        await dispatch.metric(/^svc_dispatch_probes_total\{kind="call",outcome="replied"/),
      ).toBeGreaterThan(0);
      await eventually(async () => (await dispatch.metric(/^svc_dispatch_probes_in_flight/)) === 0);
    });

    it('has no place for more than 1,100 at once', async () => {
      const answers: (() => void)[] = [];
      const { url } = await providerThat((request, response) =>
        answers.push(() => saying('at last')(request, response)),
      );
      const waiting = Array.from({ length: 1_100 }, () => call(url));
      await eventually(() => answers.length === 1_100);
      await expect(call(url)).rejects.toMatchObject({ code: 'no_capacity' });
      for (const answer of answers) answer();
      const outcomes = await Promise.all(waiting);
      expect(outcomes.every(({ outcome }) => outcome === 'replied')).toBe(true);
    });
  });

  describe('the credential', () => {
    const secret = 'sk-very/secret"token';

    it('is sent to its endpoint, and never shown', async () => {
      const provider = await providerThat(({ headers }, response) =>
        saying(`You said ${headers.authorization}.`)({ body: { stream: false } } as never, response),
      );
      const observed = await call(provider.url, {
        stream: false,
        credential: sealed(provider.url, secret),
      });
      expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`);
      expect(observed.reply?.content).toBe('You said Bearer [credential].');
      expect(JSON.stringify(observed)).not.toContain('very');
    });

    it.each([
      ['of another endpoint', () => sealed('http://127.0.0.1:1/v1', secret)],
      ['for another key', (url: string) => sealed(url, secret, generateCredentialKey())],
    ])('that is %s fails the call: nothing is sent', async (_, seal) => {
      const provider = await providerThat(saying('x'));
      const observed = await call(provider.url, { credential: seal(provider.url) });
      expect(observed).toMatchObject({ failure: { kind: 'unavailable', reason: 'credential_unreadable' } });
      expect(provider.requests).toHaveLength(0);
    });
  });

  describe('check', () => {
    const check = (endpoint: string) => rpc.call(probeContracts.check, { endpoint });

    it.each(['http://127.0.0.1:8080/v1', 'https://1.1.1.1/v1', 'http://2130706433/v1'])(
      'permits %s',
      async (endpoint) => {
        expect(await check(endpoint)).toEqual({ permitted: true });
      },
    );

    it.each([
      ['http://10.0.0.1/v1', /not public/],
      ['http://[::1]:8080/v1', /not public/],
      ['http://[::ffff:a9fe:a9fe]/v1', /not public/],
      ['http://0xa9.254.43518/v1', /not public/],
      ['http://user:secret@1.1.1.1/v1', /user name/],
      ['http://256.256.256.256/v1', /not an http/],
    ])('refuses %s', async (endpoint, words) => {
      const { permitted, reason } = await check(endpoint);
      expect({ permitted, reason }).toEqual({
        permitted: false,
        reason: expect.stringMatching(words) as unknown,
      });
      expect(reason).not.toContain('secret');
    });

    it('refuses what is no URL as every malformed message', async () => {
      await expect(check('nonsense')).rejects.toMatchObject({ code: 'invalid_request' });
    });
  });

  describe('ping', () => {
    const ping = (endpoint: string, credential?: string) =>
      rpc.call(probeContracts.ping, { provider: TEST_PROVIDER, endpoint, ...(credential && { credential }) });

    it('finds who is there, with the credential, and takes no endless list', async () => {
      const provider = await providerThat((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = setInterval(() => response.write('x'.repeat(60_000)), 5);
        response.on('close', () => clearInterval(more));
      });
      expect(await ping(provider.url, sealed(provider.url, 'token'))).toMatchObject({
        alive: true,
        status: 200,
      });
      expect(provider.requests[0]).toMatchObject({ path: '/v1/models' });
      expect(provider.requests[0]?.headers.authorization).toBe('Bearer token');
      await eventually(() => provider.requests[0]?.closedByCaller);
    });

    it.each([
      [401, { alive: true, status: 401 }],
      [404, { alive: true, status: 404 }],
      [500, { alive: false, status: 500, reason: 'status_5xx' }],
    ])('takes a status of %d', async (status, expected) => {
      const { url } = await providerThat((_request, response) => response.writeHead(status).end());
      expect(await ping(url)).toMatchObject(expected);
    });

    it('finds nobody', async () => {
      expect(await ping('http://127.0.0.1:1/v1')).toMatchObject({ alive: false, reason: 'connect_failed' });
      expect(await ping('http://10.0.0.1/v1')).toMatchObject({ alive: false, reason: 'address_refused' });
    });
  });
});
