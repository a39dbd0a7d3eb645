import OpenAI from 'openai';
import { runApp } from './running-app.for-spec';
import type { RunningApp } from './running-app.for-spec';

const TOKEN = 'a-token-of-this-node';
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Why do rivers bend?' }];
const weather: OpenAI.ChatCompletionFunctionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

function clientOf(url: string, apiKey = TOKEN): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** The `value` of a gauge in the Prometheus text of `/metrics`. */
async function inFlight(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^provider_requests_in_flight\S* (\d+)$/m.exec(text)?.[1]);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await condition());) {
    if (Date.now() > deadline) throw new Error('the condition did not come true within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the provider node through the official client', () => {
  let app: RunningApp;
  let client: OpenAI;

  beforeAll(async () => {
    app = await runApp({ PROVIDER_TOKEN: TOKEN, PROVIDER_MODEL: 'demo,svc/demo@1', PROVIDER_NAME: 'Ada' });
    client = clientOf(app.url);
  });
  afterAll(() => app.close());

  it('lists its models', async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
      ['demo', 'Ada'],
      ['svc/demo@1', 'Ada'],
    ]);
  });

  it('answers plainly', async () => {
    const completion = await client.chat.completions.create({ model: 'svc/demo@1', messages });
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/) as string,
      object: 'chat.completion',
      model: 'svc/demo@1',
      system_fingerprint: 'demo-engine',
      choices: [
        { index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', refusal: null } },
      ],
    });
    const { usage } = completion;
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? NaN) + (usage?.completion_tokens ?? NaN));
  });

  it('streams the same text, with usage where asked for', async () => {
    const plain = await client.chat.completions.create({ model: 'demo', messages });
    const stream = await client.chat.completions.create({
      model: 'demo',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      plain.choices[0]?.message.content,
    );
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plain.usage });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('frames a stream as server-sent events that end with [DONE]', async () => {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages, stream: true, max_tokens: 2 }),
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await response.text()).split('\n\n');
    expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
    expect(events).toHaveLength(2 + 1 + 2);
    for (const event of events.slice(0, -2)) {
      expect(event).toMatch(/^data: /);
      expect(JSON.parse(event.slice(6))).not.toHaveProperty('usage');
    }
  });

  it('calls tools alike, plainly and streamed: id and name first, then the arguments', async () => {
    const request = {
      model: 'demo',
      messages: [{ role: 'user' as const, content: 'The weather in Paris and Rome?' }],
      tools: [weather],
    };
    const plain = (await client.chat.completions.create(request)).choices[0];
    expect(plain).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(plain?.message.tool_calls).toHaveLength(2);

    const runner = client.chat.completions.stream(request);
    const deltas: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall[] = [];
    runner.on('chunk', ({ choices }) => deltas.push(...(choices[0]?.delta.tool_calls ?? [])));
    const streamed = (await runner.finalChatCompletion()).choices[0];
    expect(streamed?.message.tool_calls).toMatchObject(plain?.message.tool_calls ?? []);
    expect(streamed?.finish_reason).toBe('tool_calls');
    const [first, ...rest] = deltas.filter(({ index }) => index === 0);
    expect(first).toMatchObject({ type: 'function', function: { name: 'get_weather', arguments: '' } });
    expect(rest.length).toBeGreaterThan(1);
    expect(rest.every(({ id, function: called }) => id === undefined && called?.name === undefined)).toBe(
      true,
    );
  });

  it.each([
    ['no token', undefined, 401, 'invalid_api_key'],
    ['another token', 'Bearer another-token', 401, 'invalid_api_key'],
    ['its token', `Bearer ${TOKEN}`, 200, undefined],
  ])('asks for its token: %s', async (_, authorization, status, code) => {
    const response = await fetch(`${app.url}/v1/models`, { headers: authorization ? { authorization } : {} });
    expect(response.status).toBe(status);
    const body = (await response.json()) as { error?: { code: string } };
    expect(body.error?.code).toBe(code);
  });

  it.each<[string, string, number, string, string | null]>([
    ['not JSON', '{', 400, 'invalid_request', null],
    ['an array', '[]', 400, 'invalid_request', null],
    ['a prototype', '{"__proto__":{"model":"demo"}}', 400, 'invalid_request', null],
    ['no model', '{}', 400, 'invalid_request', 'model'],
    ['an unknown model', '{"model":"gpt"}', 404, 'model_not_found', 'model'],
    ['no messages', '{"model":"demo"}', 400, 'invalid_request', 'messages'],
    [
      'depth',
      `{"model":"demo","messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      400,
      'invalid_request',
      null,
    ],
    ['size', JSON.stringify({ model: 'demo', pad: 'x'.repeat(9_000_000) }), 413, 'invalid_request', null],
    [
      'a schema it cannot satisfy',
      JSON.stringify({
        model: 'demo',
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { not: {} } } },
      }),
      400,
      'invalid_request',
      'response_format',
    ],
  ])('refuses %s in the shape of OpenAI', async (_, body, status, code, param) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String) as string, type: 'invalid_request_error', param, code },
    });
  });

  it.each([
    ['GET', '/v1/nothing', 404],
    ['DELETE', '/v1/models', 404],
  ])('answers %s %s with %d in the shape of OpenAI', async (method, path, status) => {
    const response = await fetch(`${app.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('is alive and ready without a token', async () => {
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
  });
});

describe('the pace of the demo engine', () => {
  it('stops at once when the caller hangs up, in a stream and before a plain reply', async () => {
    const app = await runApp({ PROVIDER_TOKENS_PER_SECOND: '1', PROVIDER_FIRST_TOKEN_MS: '5' });
    const client = clientOf(app.url);
    const stream = await client.chat.completions.create({ model: 'demo', messages, stream: true });
    expect(await inFlight(app.url)).toBe(1);
    stream.controller.abort();
    await until(async () => (await inFlight(app.url)) === 0);

    const hangUp = new AbortController();
    const plain = client.chat.completions.create({ model: 'demo', messages }, { signal: hangUp.signal });
    const outcome = expect(plain).rejects.toThrow(/abort/i);
    await until(async () => (await inFlight(app.url)) === 1);
    hangUp.abort();
    await outcome;
    await until(async () => (await inFlight(app.url)) === 0);
    await app.close();
  });

  it('takes as long as its speed says', async () => {
    const app = await runApp({ PROVIDER_TOKENS_PER_SECOND: '100', PROVIDER_FIRST_TOKEN_MS: '50' });
    const client = clientOf(app.url);
    for (const stream of [false, true]) {
      const start = performance.now();
      const reply = await client.chat.completions
        .create({ model: 'demo', messages, max_tokens: 11, stream })
        .asResponse();
      await reply.text();
      // The first token after 50 ms, ten more at 10 ms; timers may be a little early, never much.
      expect(performance.now() - start).toBeGreaterThanOrEqual(145);
    }
    await app.close();
  });

  it('refuses more requests at once than it takes, and says when to come back', async () => {
    const app = await runApp({ PROVIDER_MAX_CONCURRENT: '1', PROVIDER_TOKENS_PER_SECOND: '1' });
    const client = clientOf(app.url);
    const stream = await client.chat.completions.create({ model: 'demo', messages, stream: true });
    const refused = await client.chat.completions
      .create({ model: 'demo', messages })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect((refused as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('1');
    stream.controller.abort();
    await app.close();
  });

  it('finishes a stream under way when it is told to stop', async () => {
    const app = await runApp({ PROVIDER_TOKENS_PER_SECOND: '50' });
    const client = clientOf(app.url);
    const stream = await client.chat.completions.create({
      model: 'demo',
      messages,
      stream: true,
      max_tokens: 20,
    });
    const closed = app.close();
    let text = '';
    let finish: string | null | undefined;
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? '';
      finish = choices[0]?.finish_reason;
    }
    expect(text).toMatch(/^Simulated reply/);
    expect(finish).toBe('length');
    // The connection that is kept alive would hold it up for more than a minute.
    const start = performance.now();
    await closed;
    expect(performance.now() - start).toBeLessThan(30_000);
    await expect(fetch(`${app.url}/health/live`)).rejects.toThrow();
  });
});
