import { request as httpRequest } from 'node:http';
import { generateApiKey } from '@svc/api-key';
import OpenAI from 'openai';
import { Marketplace } from './stack/marketplace';

const MODEL = 'svc/demo-small@1';
const TEXT_MODEL = 'svc/demo-text@1';
const user = (content: unknown) => ({ role: 'user', content });
const hello = { model: MODEL, messages: [user('Hello')] };
const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });

interface ErrorReply {
  error: { message: string; type: string; code: string; param: string | null };
}

describe('refusals', () => {
  let market: Marketplace;
  let chargedBefore: bigint;

  beforeAll(async () => {
    market = await Marketplace.connect();
    // What another spec has left under way is charged or given back when it ends.
    await market.idle();
    chargedBefore = await market.charged();
  });
  afterAll(async () => {
    // Not one of all these refusals cost anything, and none left a hold.
    await market.idle();
    expect(await market.charged()).toBe(chargedBefore);
    await market.close();
  });

  async function refused(
    response: Response,
    status: number,
    code: string,
    type: string,
  ): Promise<ErrorReply['error']> {
    const { error } = (await response.json()) as ErrorReply;
    expect({ status: response.status, code: error.code, type: error.type }).toEqual({ status, code, type });
    expect(error.message).toMatch(/\w/);
    expect(response.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-should-retry')).toBe(status < 500 ? 'false' : null);
    return error;
  }

  it.each<[string, object, string]>([
    ['no messages', { model: MODEL, messages: [] }, 'messages'],
    ['messages missing', { model: MODEL }, 'messages'],
    ['messages of a wrong type', { model: MODEL, messages: 'hi' }, 'messages'],
    ['a message that is no object', { model: MODEL, messages: [1] }, 'messages[0]'],
    ['an unknown role', { model: MODEL, messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    ['content missing', { model: MODEL, messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['content of a wrong type', { model: MODEL, messages: [user(7)] }, 'messages[0].content'],
    [
      'a tool message without tool_call_id',
      { model: MODEL, messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].tool_call_id',
    ],
    ['model missing', { messages: [user('x')] }, 'model'],
    ['max_tokens 0', { ...hello, max_tokens: 0 }, 'max_tokens'],
    ['fractional max_tokens', { ...hello, max_tokens: 1.5 }, 'max_tokens'],
    ['max_tokens as text', { ...hello, max_tokens: '5' }, 'max_tokens'],
    [
      'max_tokens unlike its alias',
      { ...hello, max_tokens: 5, max_completion_tokens: 6 },
      'max_completion_tokens',
    ],
    ['max_tokens above the model', { ...hello, max_tokens: 10_000_000 }, 'max_tokens'],
    ['temperature out of range', { ...hello, temperature: 3 }, 'temperature'],
    ['top_p out of range', { ...hello, top_p: -1 }, 'top_p'],
    ['stream as text', { ...hello, stream: 'yes' }, 'stream'],
    ['five stops', { ...hello, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    ['tools of a wrong type', { ...hello, tools: {} }, 'tools'],
    [
      'a tool without a name',
      { ...hello, tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name',
    ],
    [
      'a tool choice that is not among the tools',
      { ...hello, tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
      'tool_choice.function.name',
    ],
    [
      'a response format of an unknown type',
      { ...hello, response_format: { type: 'xml' } },
      'response_format.type',
    ],
    ['a prompt beyond the context', { model: MODEL, messages: [user('word '.repeat(40_000))] }, 'messages'],
  ])('%s', async (_, body, param) => {
    const error = await refused(await market.post(body), 400, 'invalid_request', 'invalid_request_error');
    expect(error.param).toBe(param);
  });

  it.each<[string, object, string]>([
    [
      'tools on a model without them',
      { model: TEXT_MODEL, messages: [user('x')], tools: [tool('a')] },
      'tools',
    ],
    ['n above 1', { ...hello, n: 2 }, 'n'],
    [
      'an image',
      { model: MODEL, messages: [user([{ type: 'image_url', image_url: { url: 'data:,' } }])] },
      'messages[0].content[0].type',
    ],
    ['logprobs', { ...hello, logprobs: true }, 'logprobs'],
  ])('%s is not supported', async (_, body, param) => {
    const error = await refused(
      await market.post(body),
      400,
      'feature_not_supported',
      'invalid_request_error',
    );
    expect(error.param).toBe(param);
  });

  it('a body that is not JSON', async () => {
    for (const body of ['{', 'hello', '', '[]', 'null', '"text"', '{"model": NaN}']) {
      await refused(await market.post(body), 400, 'invalid_request', 'invalid_request_error');
    }
  });

  it('a body with __proto__', async () => {
    const body = `{"model":"${MODEL}","messages":[{"role":"user","content":"x"}],"__proto__":{"stream":true}}`;
    await refused(await market.post(body), 400, 'invalid_request', 'invalid_request_error');
  });

  it('20,000 levels of nesting, wherever they stand', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const message = '{"role":"user","content":"x"}';
    for (const body of [
      `{"model":"${MODEL}","messages":${deep}}`,
      `{"model":"${MODEL}","messages":[${message}],"tools":[{"type":"function","function":{"name":"a","parameters":{"a":${deep}}}}]}`,
      `{"model":"${MODEL}","messages":[{"role":"user","content":${deep}}]}`,
    ]) {
      await refused(await market.post(body), 400, 'invalid_request', 'invalid_request_error');
    }
  });

  it('another content type', async () => {
    const response = await market.post('x=1', { 'content-type': 'application/x-www-form-urlencoded' });
    await refused(response, 415, 'invalid_request', 'invalid_request_error');
  });

  it('a body of 64 MiB, without reading it', async () => {
    const url = new URL(`${market.ready.gateway}/v1/chat/completions`);
    const status = await new Promise<number | undefined>((done, fail) => {
      const sending = httpRequest(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${market.ready.apiKey}`,
          'content-length': 64 * 1024 * 1024,
        },
      });
      sending.on('response', (response) => {
        done(response.statusCode);
        sending.destroy();
      });
      sending.on('error', fail);
      sending.write('{"model":"');
    });
    expect(status).toBe(413);
  });

  it('an unknown path, and a known one by the wrong method', async () => {
    const headers = { authorization: `Bearer ${market.ready.apiKey}` };
    await refused(
      await fetch(`${market.ready.gateway}/v1/nothing`, { headers }),
      404,
      'invalid_request',
      'invalid_request_error',
    );
    const wrong = await fetch(`${market.ready.gateway}/v1/chat/completions`, { headers });
    await refused(wrong, 405, 'invalid_request', 'invalid_request_error');
    expect(wrong.headers.get('allow')).toMatch(/POST/);
  });

  it.each<[string, string | undefined]>([
    ['missing', undefined],
    ['malformed', 'Bearer hello'],
    ['of another scheme', 'Basic aGk6aGk='],
    ['unknown', `Bearer ${generateApiKey('svc_test_')}`],
    ['of the other environment', `Bearer ${generateApiKey('svc_live_')}`],
  ])(
    'a key that is %s: always in the same words, before anything else is looked at',
    async (_, authorization) => {
      const messages = new Set<string>();
      for (const body of [
        JSON.stringify(hello),
        JSON.stringify({ model: MODEL, messages: [] }),
        JSON.stringify({ ...hello, model: 'svc/none@1' }),
      ]) {
        const response = await fetch(`${market.ready.gateway}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
          body,
        });
        messages.add((await refused(response, 401, 'invalid_api_key', 'invalid_request_error')).message);
      }
      expect(messages.size).toBe(1);
    },
  );

  it('an unknown model', async () => {
    const error = await refused(
      await market.post({ ...hello, model: 'svc/none@1' }),
      404,
      'model_not_found',
      'invalid_request_error',
    );
    expect(error.param).toBe('model');
    await refused(
      await market.post({ ...hello, model: 'gpt-4o' }),
      404,
      'model_not_found',
      'invalid_request_error',
    );
  });

  it('a wallet without funds: 402 with the amounts; suspended: 403; revoked key: 401', async () => {
    const wallet = `0x${Date.now().toString(16).padStart(40, '0')}`;
    const { apiKey, keyId } = await market.createKey(wallet);
    const headers = { authorization: `Bearer ${apiKey}` };
    const error = await refused(
      await market.post(hello, headers),
      402,
      'insufficient_quota',
      'insufficient_quota',
    );
    expect(error.message).toMatch(/\d+\.\d{6}/);
    await market.suspend(wallet);
    await refused(await market.post(hello, headers), 403, 'account_suspended', 'invalid_request_error');
    await market.revokeKey(wallet, keyId);
    await refused(await market.post(hello, headers), 401, 'invalid_api_key', 'invalid_request_error');
  });

  it('reach the official client as its own error classes', async () => {
    const client = market.client();
    const asked = { messages: [{ role: 'user' as const, content: 'x' }] };
    await expect(client.chat.completions.create({ ...asked, model: 'svc/none@1' })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    await expect(
      client.chat.completions.create({ ...asked, model: MODEL, max_tokens: 0 }),
    ).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    const stranger = market.client({ apiKey: generateApiKey('svc_test_') });
    await expect(stranger.chat.completions.create({ ...asked, model: MODEL })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });
});
