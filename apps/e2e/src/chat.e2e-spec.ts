import type OpenAI from 'openai';
import { Marketplace } from './stack/marketplace';

/** What the marketplace adds to the client's own types. */
interface Charged {
  svc?: { cost_usdc: string; provider: string };
}

const MODEL = 'svc/demo-small@1';
const weather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

const baseUnits = (usdc: string | undefined): bigint => BigInt((usdc ?? 'x').replace('.', ''));

describe('a completion through the official client', () => {
  let market: Marketplace;
  let client: OpenAI;

  beforeAll(async () => {
    market = await Marketplace.connect();
    client = market.client();
    // What another spec has left under way is charged or given back when it ends.
    await market.idle();
  });
  afterAll(() => market.close());

  it('answers plainly, says who served it and what it cost, and charges exactly that', async () => {
    const before = await market.charged();
    const { data, response } = await client.chat.completions
      .create({ model: MODEL, messages: [{ role: 'user', content: 'What is a ledger?' }], max_tokens: 64 })
      .withResponse();
    const { svc } = data as Charged;
    expect(data.object).toBe('chat.completion');
    expect(data.model).toBe(MODEL);
    expect(data.id).toMatch(/^chatcmpl-/);
    expect(data.system_fingerprint).toMatch(/^[\w-]+:[\w-]+$/);
    expect(data.choices).toHaveLength(1);
    expect(data.choices[0]?.message.content).toMatch(/\w/);
    expect(data.usage?.total_tokens).toBe(
      (data.usage?.prompt_tokens ?? NaN) + (data.usage?.completion_tokens ?? NaN),
    );
    expect(svc?.cost_usdc).toMatch(/^\d+\.\d{6}$/);
    expect(svc?.provider).toMatch(/^0x[0-9a-f]{40}$/i);
    expect(response.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(baseUnits(svc?.cost_usdc)).toBeGreaterThan(0n);
    expect((await market.charged()) - before).toBe(baseUnits(svc?.cost_usdc));
    const held = response.headers.get('x-svc-hold-usdc');
    expect(baseUnits(held ?? undefined)).toBeGreaterThanOrEqual(baseUnits(svc?.cost_usdc));
    await market.idle();
  });

  it('streams: content, then one chunk with the charge, then [DONE]', async () => {
    const before = await market.charged();
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Tell me about rivers' }],
      max_tokens: 48,
      stream: true,
    });
    const chunks: (OpenAI.ChatCompletionChunk & Charged)[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.svc?.cost_usdc).toMatch(/^\d+\.\d{6}$/);
    expect(chunks.slice(0, -1).every((chunk) => chunk.svc === undefined)).toBe(true);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toMatch(/^(stop|length)$/);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toMatch(/\w/);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect((await market.charged()) - before).toBe(baseUnits(last?.svc?.cost_usdc));
  });

  it('puts usage on the last chunk when asked, null before it', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Count to three' }],
      max_tokens: 32,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(0);
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('ends the raw stream with data: [DONE] and frames every event', async () => {
    const response = await market.post({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      max_tokens: 16,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await response.text()).split('\n\n').filter((event) => event !== '');
    expect(events.at(-1)).toBe('data: [DONE]');
    for (const event of events.slice(0, -1))
      expect(() => JSON.parse(event.replace(/^data: /, '')) as unknown).not.toThrow();
  });

  it('calls a tool, plainly and streamed, and answers with its result', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'What is the weather in Paris?' },
    ];
    const asked = {
      model: MODEL,
      messages,
      tools: [weather],
      tool_choice: 'required' as const,
      max_tokens: 256,
    };
    const plain = await client.chat.completions.create(asked);
    const call = plain.choices[0]?.message.tool_calls?.[0];
    expect(plain.choices[0]?.finish_reason).toBe('tool_calls');
    expect(plain.choices[0]?.message.content).toBeNull();
    if (call?.type !== 'function') throw new Error('no function call');
    expect(call.function.name).toBe('get_weather');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) as string });

    const runner = client.chat.completions.stream(asked);
    const streamed = (await runner.finalChatCompletion()).choices[0]?.message.tool_calls?.[0];
    if (streamed?.type !== 'function') throw new Error('no streamed function call');
    expect(streamed.function.name).toBe('get_weather');
    expect(streamed.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(JSON.parse(streamed.function.arguments)).toHaveProperty('city');

    const answer = await client.chat.completions.create({
      model: MODEL,
      tools: [weather],
      max_tokens: 128,
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '{"celsius": 21}' },
      ],
    });
    expect(answer.choices[0]?.message.content).toMatch(/21/);
  });

  it('keeps to a JSON schema', async () => {
    const completion = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'A person named Ada, aged 36' }],
      max_tokens: 256,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'person',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name', 'age'],
            additionalProperties: false,
          },
        },
      },
    });
    const document = JSON.parse(completion.choices[0]?.message.content ?? '') as unknown;
    expect(document).toEqual({ name: expect.any(String) as string, age: expect.any(Number) as number });
  });

  it('honours max_tokens and stop', async () => {
    const short = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Write a long story' }],
      max_tokens: 3,
    });
    expect(short.choices[0]?.finish_reason).toBe('length');
    expect(short.usage?.completion_tokens).toBeLessThanOrEqual(3);
  });

  it('takes the aliases and optional fields that clients send', async () => {
    const completion = await client.chat.completions.create({
      model: MODEL,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', name: 'ada', content: [{ type: 'text', text: 'Hello' }] },
      ],
      max_completion_tokens: 16,
      temperature: 0.2,
      top_p: 0.9,
      seed: 7,
      user: 'u1',
      n: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      stop: ['\n\n\n'],
    });
    expect(completion.choices[0]?.message.role).toBe('assistant');
  });
});

describe('the model list', () => {
  it('needs no key and has the card of spec section 2.3', async () => {
    const market = await Marketplace.connect();
    const response = await fetch(`${market.ready.gateway}/v1/models`);
    const list = (await response.json()) as {
      object: string;
      data: { id: string; svc: Record<string, unknown> }[];
    };
    expect(list.object).toBe('list');
    const model = list.data.find(({ id }) => id === MODEL);
    expect(model).toMatchObject({
      object: 'model',
      owned_by: expect.any(String) as string,
      svc: {
        contextLimit: expect.any(Number) as number,
        capabilities: {
          workload: 'chat',
          tools: true,
          streaming: true,
          maxOutputTokens: expect.any(Number) as number,
        },
        pricing: {
          input_price_per_mtok: expect.stringMatching(/^\d+$/) as string,
          output_price_per_mtok: expect.stringMatching(/^\d+$/) as string,
        },
        tool_contract: { tool_streaming: 'buffered' },
      },
    });
    for (const path of [MODEL, encodeURIComponent(MODEL)]) {
      const one = await fetch(`${market.ready.gateway}/v1/models/${path}`);
      expect(await one.json()).toEqual(model);
    }
    const unknown = await fetch(`${market.ready.gateway}/v1/models/svc/none@1`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
    await market.close();
  });
});

describe('the API description', () => {
  it('is served for reading and as OpenAPI 3.1', async () => {
    const market = await Marketplace.connect();
    const page = await fetch(`${market.ready.gateway}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const description = await fetch(`${market.ready.gateway}/docs/openapi.json`);
    const headers = { 'if-none-match': description.headers.get('etag') ?? '' };
    expect((await fetch(description.url, { headers })).status).toBe(304);
    expect(await description.json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/) as string,
      paths: { '/v1/chat/completions': { post: expect.anything() as object } },
    });
    await market.close();
  });
});
