import { once } from 'node:events';
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { generateApiKey } from '@svc/api-key';
import { accountSuspended, internalError, invalidApiKey } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { MAX_BASE_UNITS } from '@svc/money';
import { eventually } from '@svc/testing';
import { attempt } from '../testing/fake-cortex.for-spec';
import { wallet } from '../testing/fake-billing.for-spec';
import { demoModel } from '../testing/models.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

afterEach(() => {
  harness.billing.admission = 'ok';
  harness.billing.key = 'ok';
  harness.billing.beforeAdmission = () => Promise.resolve();
  harness.cortex.plan = { attempts: [attempt] };
});

const message = { role: 'user', content: 'Hello' };
const request = { model: 'svc/demo@1', messages: [message] };
const plain = { model: 'svc/plain@1', messages: [message] };
const tool = { type: 'function', function: { name: 'look_up' } };

/** Sends headers as they are, one line for each value; `fetch` would join them to one. */
async function sendAsIs(
  headers: Record<string, string | string[]>,
  body = '{}',
): Promise<[number | undefined, unknown]> {
  const sent = http.request(`${harness.url}/v1/chat/completions`, { method: 'POST' });
  const usual = { authorization: `Bearer ${harness.apiKey}`, 'content-type': 'application/json' };
  for (const [name, value] of Object.entries({ ...usual, ...headers })) sent.setHeader(name, value);
  const [reply] = (await once(sent.end(body), 'response')) as [http.IncomingMessage];
  return [reply.statusCode, await json(reply)];
}

interface Refusal {
  status: number;
  code: string;
  param: string | null;
  type: string;
}

async function refusalOf(
  body: unknown,
  init: { headers?: Record<string, string> } = {},
): Promise<Refusal & { reply: Response }> {
  const reply = await harness.post(body, init);
  const { error } = (await reply.json()) as { error: Omit<Refusal, 'status'> };
  expect(reply.headers.get('x-svc-request-id')).toMatch(/^req_/);
  expect(reply.headers.get('x-should-retry')).toBe(reply.status < 500 ? 'false' : null);
  expect(reply.headers.get('www-authenticate')).toBe(reply.status === 401 ? 'Bearer realm="svc"' : null);
  return { status: reply.status, code: error.code, param: error.param, type: error.type, reply };
}

const invalid = (param: string | null, status = 400) => ({
  status,
  code: 'invalid_request',
  type: 'invalid_request_error',
  param,
});
const unsupported = (param: string) => ({ ...invalid(param), code: 'feature_not_supported' });

describe('bad input', () => {
  it.each<[string, unknown, object]>([
    ['not JSON', '{"model":', invalid(null)],
    ['an empty body', '', invalid(null)],
    ['a list', [], invalid(null)],
    [
      '__proto__',
      '{"model":"svc/demo@1","messages":[{"role":"user","content":"x","__proto__":{}}]}',
      invalid(null),
    ],
    ['an escaped __proto__', '{"\\u005f_proto__":{}}', invalid(null)],
    ['20,000 levels', '['.repeat(20_000) + ']'.repeat(20_000), invalid(null)],
    ['20,000 levels, unclosed', '['.repeat(20_000), invalid(null)],
    [
      '20,000 levels in a schema',
      `{"model":"svc/demo@1","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a","parameters":${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}}}]}`,
      invalid('tools'),
    ],
    ['no messages', { model: 'svc/demo@1' }, invalid('messages')],
    [
      'an unknown role',
      { ...request, messages: [{ role: 'bot', content: '' }] },
      invalid('messages[0].role'),
    ],
    ['zero max_tokens', { ...request, max_tokens: 0 }, invalid('max_tokens')],
    ['fractional max_tokens', { ...request, max_tokens: 1.5 }, invalid('max_tokens')],
    ['more max_tokens than the model has', { ...request, max_tokens: 8_193 }, invalid('max_tokens')],
    [
      'more under the other name',
      { ...request, max_completion_tokens: 8_193 },
      invalid('max_completion_tokens'),
    ],
    [
      'a prompt beyond the context',
      { ...request, messages: [{ ...message, content: 'x'.repeat(163_840) }] },
      invalid('messages'),
    ],
    [
      'no room for max_tokens',
      { ...request, messages: [{ ...message, content: 'x'.repeat(163_000) }], max_tokens: 500 },
      invalid('max_tokens'),
    ],
    [
      'an unknown model',
      { ...request, model: 'svc/none@1' },
      { ...invalid('model', 404), code: 'model_not_found' },
    ],
    [
      'a foreign model',
      { ...request, model: 'gpt-4o' },
      { ...invalid('model', 404), code: 'model_not_found' },
    ],
    ['tools on a model without', { ...plain, tools: [tool] }, unsupported('tools')],
    ['a stream on a model without', { ...plain, stream: true }, unsupported('stream')],
    ['two choices', { ...request, n: 2 }, unsupported('n')],
    [
      'an image',
      { ...request, messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      unsupported('messages[0].content[0].type'),
    ],
  ])('%s is refused', async (_, body, expected) => {
    const admissions = harness.billing.admissions.length;
    expect(await refusalOf(body)).toMatchObject(expected);
    expect(harness.billing.admissions).toHaveLength(admissions);
  });

  it('says of a body of no bytes that there is none', async () => {
    const reply = await harness.post('');
    expect(await reply.text()).toContain('The request has no body; send a JSON object.');
  });

  it.each([
    ['lists', 'x', `[${'[],'.repeat(130_000)}0]`],
    ['names', 'x', `{${'"a":0,'.repeat(130_000)}"a":0}`],
    ['levels', 'x', '['.repeat(260_000) + ']'.repeat(260_000)],
    ['values behind brackets in a text', 'x', `["\\"[{\\\\",${'0,'.repeat(260_000)}0]`],
    ['values in a message', 'messages', `[${'0,'.repeat(260_000)}0]`],
    ['values in a tool', 'tools', `[[${'0,'.repeat(260_000)}0]]`],
    ['values that are no JSON', 'x', '[,'.repeat(260_000)],
  ])('refuses more than can be read at once: %s', async (_, field, json) => {
    const reply = await harness.post(`{"model":"svc/none@1","${field}":${json}}`);
    const message = 'The request body holds more than 250000 JSON values and names of fields.';
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: { message, type: 'invalid_request_error', code: 'invalid_request', param: null } },
    ]);
  });

  it('takes 20,000 levels in a field that nobody reads', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const replied = harness.post(
      `{"deep":${deep},"model":"svc/demo@1","messages":[{"role":"user","content":"x"}]}`,
    );
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
  });

  it('takes a prompt that speaks of __proto__', async () => {
    const replied = harness.post({ ...request, messages: [{ ...message, content: '{"__proto__": 1}' }] });
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
  });

  it('refuses 64 MiB, and goes on', async () => {
    const body = 'x'.repeat(64 * 1024 * 1024);
    expect(await refusalOf(body)).toMatchObject(invalid(null, 413));
    expect(await refusalOf('{}')).toMatchObject(invalid('model'));
  });

  it('refuses a large body of unknown length', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        if (sent++ < 16) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${harness.apiKey}` },
    };
    const reply = await fetch(`${harness.url}/v1/chat/completions`, init as RequestInit);
    expect(reply.status).toBe(413);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/json+x'], ['nonsense']])(
    'refuses a body of type %s',
    async (type) => {
      expect(await refusalOf('{}', { headers: { 'content-type': type } })).toMatchObject(invalid(null, 415));
    },
  );

  it('takes a body whose type is said twice', async () => {
    const headers = { 'content-type': ['application/json', 'application/json'] };
    expect(await sendAsIs(headers)).toMatchObject([400, { error: { param: 'model' } }]);
  });

  it('refuses encoded bodies', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(await refusalOf('{}', { headers })).toMatchObject(invalid(null, 415));
  });

  it('takes a body whose encoding is none, however it is spelt', async () => {
    const headers = { 'content-encoding': 'Identity' };
    expect(await refusalOf('{}', { headers })).toMatchObject(invalid('model'));
  });

  it('tells of a body that is not UTF-8', async () => {
    const body = Buffer.from('{"model":"svc/d\u00e9mo@1"}', 'latin1');
    const init = {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${harness.apiKey}`, 'content-type': 'application/json' },
    };
    const reply = await fetch(`${harness.url}/v1/chat/completions`, init);
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_request', message: 'The request body is not UTF-8.' } },
    ]);
  });

  it.each([[''], ['x'.repeat(256)], ['clé']])('refuses the idempotency key "%s"', async (key) => {
    const headers = { 'idempotency-key': key };
    expect(await refusalOf(request, { headers })).toMatchObject(invalid('Idempotency-Key'));
  });

  it('refuses two idempotency keys', async () => {
    const reply = await sendAsIs({ 'idempotency-key': ['one', 'other'] }, JSON.stringify(request));
    expect(reply).toMatchObject([400, { error: { param: 'Idempotency-Key' } }]);
  });

  it.each([['gzip, chunked'], [['gzip', 'chunked']], ['x-own,chunked']])(
    'refuses a body that is transferred as %j',
    async (coding) => {
      const message = 'Send the body as it is, whole or chunked: no other transfer coding is understood.';
      expect(await sendAsIs({ 'transfer-encoding': coding })).toEqual([
        415,
        { error: { message, type: 'invalid_request_error', code: 'invalid_request', param: null } },
      ]);
    },
  );

  it('takes a chunked body, however that is spelt', async () => {
    const headers = { 'transfer-encoding': 'Chunked' };
    expect(await sendAsIs(headers)).toMatchObject([400, { error: { param: 'model' } }]);
  });
});

describe('the key', () => {
  const unauthorized = { status: 401, code: 'invalid_api_key', type: 'invalid_request_error', param: null };

  it.each<[string, Record<string, string>]>([
    ['missing', { authorization: '' }],
    ['without a scheme', { authorization: generateApiKey('svc_test_') }],
    ['malformed', { authorization: 'Bearer svc_test_short' }],
    ['mistyped', { authorization: `Bearer ${generateApiKey('svc_test_').slice(0, -1)}!` }],
    ['of the other environment', { authorization: `Bearer ${generateApiKey('svc_live_')}` }],
  ])('is refused when it is %s, whatever the body is, without asking anybody', async (_, headers) => {
    const asked = harness.billing.keyChecks.length;
    for (const body of [request, '{', {}, { ...request, model: 'svc/none@1' }]) {
      expect(await refusalOf(body, { headers })).toMatchObject(unauthorized);
    }
    expect(await refusalOf('{}', { headers: { ...headers, 'content-type': 'nonsense' } })).toMatchObject(
      unauthorized,
    );
    expect(await refusalOf('x'.repeat(5_000_000), { headers })).toMatchObject(unauthorized);
    expect(harness.billing.keyChecks).toHaveLength(asked);
  });

  it('is refused when there are two, whichever comes first, without asking anybody', async () => {
    const mine = `Bearer ${harness.apiKey}`;
    const other = `Bearer ${generateApiKey('svc_test_')}`;
    const asked = harness.billing.keyChecks.length;
    for (const authorization of [
      [mine, other],
      [other, mine],
      [mine, 'Basic eDp4'],
      ['', mine],
      [mine, mine],
    ]) {
      const { status, ...error } = unauthorized;
      expect(await sendAsIs({ authorization })).toMatchObject([status, { error }]);
    }
    expect(harness.billing.keyChecks).toHaveLength(asked);
  });

  it.each([
    ['unknown', invalidApiKey().payload, unauthorized],
    ['suspended', accountSuspended().payload, { ...unauthorized, status: 403, code: 'account_suspended' }],
  ])(
    'is refused when it is %s, before the body, the model, the features and the capacity',
    async (_, payload, expected) => {
      harness.billing.key = payload;
      harness.billing.admission = payload;
      for (const body of [
        request,
        '{',
        {},
        { ...request, model: 'svc/none@1' },
        { ...plain, tools: [tool] },
      ]) {
        expect(await refusalOf(body)).toMatchObject(expected);
      }
      harness.cortex.plan = { attempts: [] };
      expect(await refusalOf(request)).toMatchObject(expected);
    },
  );

  it('that may not be used has no body parsed', async () => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    harness.billing.key = invalidApiKey().payload;
    const headers = { authorization: `Bearer ${generateApiKey('svc_test_')}` };
    const parse = jest.spyOn(JSON, 'parse');
    const isParsed = (mark: string) =>
      parse.mock.calls.some(([text]) => typeof text === 'string' && text.startsWith(`{"mark":"${mark}"`));
    expect((await harness.post(`{"mark":"unknown"}`, { headers })).status).toBe(401);
    expect((await harness.post(`{"mark":"known"}`)).status).toBe(401);
    expect([isParsed('unknown'), isParsed('known')]).toEqual([false, true]);
    parse.mockRestore();
  });

  it('that may not be used costs nobody a plan, and one that was revoked since no second one', async () => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    const plans = harness.cortex.requests.length;
    harness.billing.key = invalidApiKey().payload;
    harness.billing.admission = invalidApiKey().payload;
    const headers = { authorization: `Bearer ${generateApiKey('svc_test_')}` };
    const idempotent = { ...headers, 'idempotency-key': 'once' };
    for (const each of [headers, headers, idempotent]) {
      expect(await refusalOf(request, { headers: each })).toMatchObject(unauthorized);
    }
    expect(harness.cortex.requests).toHaveLength(plans);
    for (let time = 0; time < 3; time++) expect(await refusalOf(request)).toMatchObject(unauthorized);
    expect(harness.cortex.requests).toHaveLength(plans + 1);
  });

  it.each([
    ['model', { ...request, model: 'svc/none@1' }],
    ['features', { ...plain, tools: [tool] }],
  ])('that was revoked since it was last heard of is told before the %s', async (_, body) => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    expect((await refusalOf(body)).status).not.toBe(401);
    harness.billing.key = invalidApiKey().payload;
    expect(await refusalOf(body)).toMatchObject(unauthorized);
  });

  it('never leaves the gateway', async () => {
    await refusalOf({ ...request, model: 'svc/none@1' });
    expect(harness.billing.keyChecks.at(-1)?.keyHash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([harness.billing.keyChecks, harness.billing.admissions])).not.toContain(
      'svc_test_',
    );
    expect(harness.logLines.join('')).not.toContain(harness.apiKey);
  });

  it.each<ErrorPayload | 'silent'>([
    'silent',
    { code: 'internal_error', message: 'Something went wrong on our side.' },
    { code: 'no_capacity', message: 'A part of the service cannot be asked now; try again.' },
  ])('does not hide a refusal when nobody can say: %j', async (answer) => {
    harness.billing.key = answer;
    expect(await refusalOf({})).toMatchObject(invalid('model'));
  });
});

describe('admission and capacity', () => {
  const noCapacity = { status: 503, code: 'no_capacity', type: 'server_error', param: null };
  /** Waits until the queue is told of the hold that a refused request may have left. */
  const expectLetGo = async ({ reply }: { reply: Response }) => {
    const holdId = reply.headers.get('x-svc-request-id') ?? '';
    const settlement = await eventually(() => harness.billing.settlements.get(`${holdId}:abandon`));
    expect(settlement).toEqual({ holdId, wallet, outcome: 'abandon', reason: 'admission_unheard' });
  };

  it('tells what is missing', async () => {
    harness.billing.admission = { code: 'insufficient_quota', message: 'Needs 0.01 USDC; 0 spendable.' };
    const refusal = await refusalOf(request);
    expect(refusal).toMatchObject({ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(refusal.reply.headers.get('x-svc-hold-usdc')).toBeNull();
  });

  it('takes no place in cortex’ reckoning until there is money again', async () => {
    const serve = async () => {
      const replied = harness.post(request);
      (await harness.dispatch.nextRun()).complete();
      expect((await replied).status).toBe(200);
    };
    await serve();
    const planned = harness.cortex.requests.length;
    harness.billing.admission = { code: 'insufficient_quota', message: 'Needs 0.01 USDC; 0 spendable.' };
    await refusalOf(request);
    await refusalOf(request);
    harness.billing.admission = 'ok';
    await serve();
    await serve();
    const tentative = harness.cortex.requests.slice(planned).map((each) => each.tentative);
    expect(tentative).toEqual([undefined, true, true, undefined]);
  });

  it('says when to come back', async () => {
    harness.cortex.plan = { attempts: [], retryAfterSeconds: 12 };
    const refusal = await refusalOf(request);
    expect(refusal).toMatchObject(noCapacity);
    expect(refusal.reply.headers.get('retry-after')).toBe('12');
    harness.cortex.plan = { attempts: [] };
    expect((await refusalOf(request)).reply.headers.get('retry-after')).toBe('5');
  });

  it('is not possible without cortex', async () => {
    harness.cortex.plan = 'silent';
    expect(await refusalOf(request)).toMatchObject(noCapacity);
  });

  it.each<[string, 'silent' | ErrorPayload, object]>([
    ['silent', 'silent', noCapacity],
    ['broken', internalError().payload, { status: 500, code: 'internal_error' }],
  ])('is not possible when billing is %s; a hold that may stand is let go of', async (_, state, expected) => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    harness.billing.admission = state;
    // It knows whose it is.
    harness.billing.key = 'silent';
    const refusal = await refusalOf(request);
    expect(refusal).toMatchObject(expected);
    await expectLetGo(refusal);
  });

  it('is not possible when billing is broken; with a key that is new here it tells whose hold is let go of', async () => {
    harness.billing.admission = internalError().payload;
    const headers = { authorization: `Bearer ${generateApiKey('svc_test_')}` };
    const refusal = await refusalOf(request, { headers });
    expect(refusal).toMatchObject({ status: 500, code: 'internal_error' });
    await expectLetGo(refusal);
  });

  it('is not possible when billing is broken; it is asked whose hold is let go of until it can tell', async () => {
    harness.billing.admission = internalError().payload;
    harness.billing.beforeAdmission = () => {
      harness.billing.key = internalError().payload;
      return Promise.resolve();
    };
    const headers = { authorization: `Bearer ${generateApiKey('svc_test_')}` };
    const before = harness.billing.keyChecks.length;
    const refused = refusalOf(request, { headers });
    // Once before cortex is asked, and once for the hold.
    await eventually(() => harness.billing.keyChecks.length >= before + 2);
    harness.billing.key = 'ok';
    await expectLetGo(await refused);
  });

  it('leaves nothing to be let go of when billing says no', async () => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    harness.billing.admission = { code: 'insufficient_quota', message: 'Needs 0.01 USDC; 0 spendable.' };
    const refused = await refusalOf(request);
    harness.billing.admission = internalError().payload;
    // The queue keeps the order.
    await expectLetGo(await refusalOf(request));
    const holdId = refused.reply.headers.get('x-svc-request-id') ?? '';
    expect(harness.billing.settlements.has(`${holdId}:abandon`)).toBe(false);
  });

  it('does not ask billing for more than it can count', async () => {
    const huge = { ...demoModel, id: 'svc/huge@1', contextLimit: 10_000_000 };
    huge.capabilities = { ...huge.capabilities, maxOutputTokens: 5_000_000 };
    await harness.publishModels([huge]);
    await eventually(async () => (await fetch(`${harness.url}/v1/models/svc/huge@1`)).ok);
    harness.cortex.plan = { attempts: [{ ...attempt, outputPricePerMtok: MAX_BASE_UNITS.toString() }] };
    const admissions = harness.billing.admissions.length;
    const body = { ...request, model: huge.id, max_tokens: 5_000_000 };
    expect(await refusalOf(body)).toMatchObject({ status: 402, code: 'insufficient_quota' });
    expect(harness.billing.admissions).toHaveLength(admissions);
  });
});
