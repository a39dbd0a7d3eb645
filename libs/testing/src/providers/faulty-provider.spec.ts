import { eventually } from '../eventually';
import { PROVIDER_BEHAVIOUR_NAMES, startFaultyProvider } from './faulty-provider';
import type { FaultyProvider, ProviderBehaviour } from './faulty-provider';

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const TEXT = 'Hello from the test provider: grüße, 世界 and 👋🏽.';

function ask({ url }: FaultyProvider, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools, stream };
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(stream ? { ...request, stream_options: { include_usage: true } } : request),
    redirect: 'manual',
    signal: signal ?? null,
  });
}

interface Reply {
  choices: {
    message?: object;
    delta?: { content?: string | null; tool_calls?: object[] };
    finish_reason: unknown;
  }[];
  usage?: { total_tokens: number };
}

/** The chunks of a stream whose lines end in LF or CRLF, and whether `[DONE]` came last. */
function chunksOf(text: string): { chunks: Reply[]; done: boolean } {
  const data = text.split(/\r?\n/).flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const done = data.at(-1) === '[DONE]';
  return { chunks: (done ? data.slice(0, -1) : data).map((line) => JSON.parse(line) as Reply), done };
}

describe('a faulty provider', () => {
  let provider: FaultyProvider;
  afterEach(() => provider.stop());

  const start = async (behaviour: ProviderBehaviour, options = {}) => {
    provider = await startFaultyProvider(behaviour, options);
  };
  const streamed = async () => chunksOf(await (await ask(provider, true)).text());
  const plain = async () => (await (await ask(provider, false)).json()) as Reply;

  it.each<ProviderBehaviour>(['ok', 'split-bytes', 'crlf', 'comments', 'trickle', 'wrong-content-type'])(
    '%s: gives the right answer in the end',
    async (behaviour) => {
      await start(behaviour, { pauseMs: 1 });
      const { chunks, done } = await streamed();
      expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe(TEXT);
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
      expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(9);
      expect(done).toBe(true);
      expect((await plain()).choices[0]?.message).toEqual({ role: 'assistant', content: TEXT });
      expect(provider.requests().map(({ aborted }) => aborted)).toEqual([false, false]);
    },
  );

  it.each<[ProviderBehaviour, object]>([
    ['ok-tool-call', { name: 'look', arguments: '{"city":"Paris"}' }],
    ['tool-arguments-broken', { name: 'look', arguments: '{"city": "Par' }],
    ['tool-arguments-array', { name: 'look', arguments: '["Paris"]' }],
    ['tool-without-name', { arguments: '{}' }],
    ['tool-unknown', { name: 'launch_missiles', arguments: '{}' }],
    ['tool-arguments-megabyte', { name: 'look', arguments: JSON.stringify({ city: 'x'.repeat(1_048_576) }) }],
  ])('%s: calls a tool that way', async (behaviour, called) => {
    await start(behaviour);
    const { choices } = await plain();
    expect(choices[0]).toEqual({
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_test', type: 'function', function: called }],
      },
    });
    const { chunks } = await streamed();
    expect(chunks.flatMap(({ choices: [choice] }) => choice?.delta?.tool_calls ?? [])).toHaveLength(3);
  });

  it.each([false, true])('refuse-connection and reset: no reply (stream: %s)', async (stream) => {
    for (const behaviour of ['refuse-connection', 'reset'] as const) {
      await start(behaviour);
      await expect(ask(provider, stream)).rejects.toThrow();
      expect(provider.abortedCount()).toBe(0);
      await provider.stop();
    }
  });

  it.each<[ProviderBehaviour, boolean]>([
    ['hang-before-headers', false],
    ['hang-before-first-token', true],
    ['stall-mid-stream', true],
    ['endless', true],
  ])('%s: comes to no end until the caller hangs up, which is recorded', async (behaviour, hasHeaders) => {
    for (const stream of [false, true]) {
      await start(behaviour);
      const hangUp = new AbortController();
      const asked = ask(provider, stream, hangUp.signal);
      const outcome = asked.then(
        (response) => response.text(),
        (error: unknown) => error,
      );
      if (hasHeaders) expect((await asked).status).toBe(200);
      await eventually(() => provider.requests().length === 1);
      hangUp.abort();
      await outcome.catch((error: unknown) => expect(error).toMatchObject({ name: 'AbortError' }));
      await eventually(() => provider.abortedCount() === 1);
      await provider.stop();
    }
  });

  it.each([false, true])('cut: closes after so many bytes (stream: %s)', async (stream) => {
    await start('cut', { cutAfterBytes: 100 });
    const response = await ask(provider, stream);
    let size = 0;
    const read = async () => {
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) size += part.length;
    };
    await expect(read()).rejects.toThrow();
    expect(size).toBe(100);
    expect(provider.abortedCount()).toBe(0);
  });

  it('no-finish-reason, no-done: end otherwise than they should', async () => {
    await start('no-finish-reason');
    expect((await plain()).choices[0]?.finish_reason).toBeNull();
    const endless = await streamed();
    expect(endless.chunks.every(({ choices }) => (choices[0]?.finish_reason ?? null) === null)).toBe(true);
    provider.behave('no-done');
    expect((await streamed()).done).toBe(false);
  });

  it.each<[ProviderBehaviour, number, RegExp]>([
    ['status-500', 500, /crashed/],
    ['status-429', 429, /Too many/],
    ['redirect', 307, /^$/],
    ['error-in-200', 200, /"error"/],
    ['html', 200, /<title>/],
    ['garbage', 200, /\ufffd/],
  ])('%s: answers %d', async (behaviour, status, body) => {
    await start(behaviour);
    for (const stream of [false, true]) {
      const response = await ask(provider, stream);
      expect(response.status).toBe(status);
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
      expect(await response.text()).toMatch(body);
    }
  });

  it('usage-huge, usage-missing: lie and are silent', async () => {
    await start('usage-huge');
    expect((await plain()).usage?.total_tokens).toBe(20_000_000);
    expect((await streamed()).chunks.at(-1)?.usage?.total_tokens).toBe(20_000_000);
    provider.behave('usage-missing');
    expect((await plain()).usage).toBeUndefined();
    expect((await streamed()).chunks.some(({ usage }) => usage)).toBe(false);
  });

  it('usage-padded: claims what nobody sees', async () => {
    await start('usage-padded');
    const { choices, usage } = await plain();
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: TEXT + '\u200b'.repeat(1_000) });
    expect(usage?.total_tokens).toBeGreaterThan(1_000);
    expect((await streamed()).chunks.at(-1)?.usage).toEqual(usage);
  });

  it('records what it was asked, and always lists its model', async () => {
    await start('status-500');
    await ask(provider, true);
    expect(provider.requests()[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: { model: 'm', stream: true },
    });
    expect(await (await fetch(`${provider.url}/models`)).json()).toMatchObject({
      data: [{ id: 'test-model' }],
    });
  });

  it('has each of its behaviours once', async () => {
    await start('ok');
    expect(new Set(PROVIDER_BEHAVIOUR_NAMES).size).toBe(PROVIDER_BEHAVIOUR_NAMES.length);
  });
});
