import { RUN_BODY_FIELDS } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import { SvcError, modelNotFound, noCapacity } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import type { RoutingModel } from '../models/listed-model';
import { demoModel, toollessModel } from '../testing/models.for-spec';
import { placeOrder, readRequest } from './completion-order';
import type { CompletionOrder } from './completion-order';
import { runBodyOf } from './run-body';

const message = { role: 'user', content: 'Hello' };
const base = { model: demoModel.id, messages: [message] };

function orderOf(
  fields: object,
  terms: { maxPayloadBytes?: number; contextLimit?: number; away?: boolean } = {},
): CompletionOrder {
  return placeOrder(readRequest({ ok: true, value: { ...base, ...fields } }), {
    findModel: (id) => {
      if (id !== demoModel.id) throw modelNotFound(id);
      return { ...demoModel, contextLimit: terms.contextLimit ?? demoModel.contextLimit };
    },
    environment: ENVIRONMENTS.testnet,
    assertReachable: () => {
      if (terms.away) throw noCapacity('Away.');
    },
    maxPayloadBytes: () => terms.maxPayloadBytes ?? 1024 * 1024,
  });
}

function refusedBy(place: () => unknown): ErrorPayload & { status: number } {
  try {
    place();
  } catch (error) {
    if (SvcError.is(error)) return { ...error.payload, status: error.status };
    throw error;
  }
  throw new Error('accepted');
}

function refusalOf(fields: object, terms = {}): [number, string, string | undefined] {
  const { status, code, param } = refusedBy(() => orderOf(fields, terms));
  return [status, code, param];
}

describe('the input estimate', () => {
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

  it('counts UTF-8 bytes of messages, tools and response_format, and 8 tokens a message', () => {
    const messages = [message, { role: 'assistant', content: 'é漢🙂' }];
    expect(orderOf({ messages }).inputEstimate).toBe(Math.ceil(bytesOf(messages) / 3) + 16);
    const tools = [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }];
    const format = { type: 'json_object' };
    expect(orderOf({ tools, response_format: format, stop: 'x'.repeat(99) }).inputEstimate).toBe(
      Math.ceil((bytesOf([message]) + bytesOf(tools) + bytesOf(format)) / 3) + 8,
    );
  });
});

describe('the least that a prompt can need', () => {
  it('is a token for five characters, of whatever script', () => {
    const measured = (content: string) => orderOf({ messages: [{ role: 'user', content }] }).inputLeast;
    const around = JSON.stringify([{ role: 'user', content: '' }]).length;
    for (const letter of ['a', 'я', 'म', '漢']) {
      expect(measured(letter.repeat(500))).toBe(Math.ceil((500 + around) / 5));
    }
  });

  it('counts tools and response_format, and rounds up', () => {
    const tools = [{ type: 'function', function: { name: 'a', description: 'я'.repeat(500) } }];
    const fields = { tools, response_format: { type: 'json_object' } };
    const characters = [[message], ...Object.values(fields)].map((part) => JSON.stringify(part).length);
    const sum = characters.reduce((one, other) => one + other);
    expect(sum % 5).not.toBe(0);
    expect(orderOf(fields).inputLeast).toBe(Math.ceil(sum / 5));
  });

  it('is what is refused as too long; what is held is the estimate', () => {
    const messages = [{ role: 'user', content: 'The quick brown fox. '.repeat(180) }];
    // 945 tokens or so, of 1,024.
    const order = orderOf({ messages }, { contextLimit: 1_024 });
    expect(order.inputEstimate).toBeGreaterThan(1_024);
    expect(order.maxTokens).toBeLessThanOrEqual(1_024 - 945);
    expect(refusalOf({ messages: [...messages, ...messages] }, { contextLimit: 1_024 })[2]).toBe('messages');
  });
});

describe('the body for the provider', () => {
  it('holds what generation needs and nothing else', () => {
    const order = orderOf({
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.5,
      stop: ['a'],
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: 1,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
      user: 'someone',
      metadata: { a: 'b' },
      store: true,
      unknown: 1,
    });
    expect(order).toMatchObject({ model: demoModel.id, stream: true, includeUsage: true, maxTokens: 5 });
    expect(JSON.parse(order.bodyJson)).toEqual({
      messages: [message],
      temperature: 0.5,
      top_p: 0.5,
      stop: ['a'],
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: 1,
      reasoning_effort: 'low',
    });
    const chosen = {
      tools: [{ type: 'function', function: { name: 'a' } }],
      ...{ tool_choice: 'required', parallel_tool_calls: true },
    };
    expect(JSON.parse(orderOf(chosen).bodyJson)).toEqual({ messages: [message], ...chosen });
  });

  it('switches parallel calls off where they were not certified', () => {
    const { toolContract } = demoModel;
    const uncertified = {
      ...demoModel,
      toolContract: toolContract && { ...toolContract, parallel_tool_calls: false },
    };
    const tools = [{ type: 'function', function: { name: 'a' } }];
    const terms = {
      environment: ENVIRONMENTS.testnet,
      assertReachable: () => undefined,
      maxPayloadBytes: () => 1024 * 1024,
    };
    const body = { ok: true as const, value: { ...base, tools } };
    const off = placeOrder(readRequest(body), { ...terms, findModel: () => uncertified });
    expect(JSON.parse(off.bodyJson)).toMatchObject({ parallel_tool_calls: false });
    const open = placeOrder(readRequest(body), { ...terms, findModel: () => demoModel });
    expect(JSON.parse(open.bodyJson)).not.toHaveProperty('parallel_tool_calls');
  });

  it.each<
    [string, boolean | undefined, boolean | undefined, boolean | undefined, boolean | 'refused' | undefined]
  >([
    ['asked for, certified', true, true, undefined, true],
    ['asked for, where another offer than the one shown has them', true, false, true, true],
    ['asked for, of a managed model', true, undefined, true, true],
    ['asked for, where nobody has them', true, false, undefined, 'refused'],
    ['asked for, where nobody is certified', true, undefined, undefined, 'refused'],
    ['not said, where only another offer has them', undefined, false, true, false],
    ['not said, of a managed model', undefined, undefined, true, undefined],
    ['not said, where nobody has them', undefined, false, undefined, false],
    ['not wanted', false, undefined, true, false],
  ])('tells production about calls in parallel: %s', (_, asked, certified, parallelCalls, told) => {
    const { toolContract: full } = demoModel;
    const toolContract =
      full && certified !== undefined ? { ...full, parallel_tool_calls: certified } : undefined;
    const tools = [{ type: 'function', function: { name: 'a' } }];
    const value = { ...base, tools, parallel_tool_calls: asked };
    const place = () =>
      placeOrder(readRequest({ ok: true, value }), {
        findModel: () => ({ ...demoModel, toolContract, parallelCalls }),
        environment: ENVIRONMENTS.production,
        assertReachable: () => undefined,
        maxPayloadBytes: () => 1024 * 1024,
      });
    if (told === 'refused') {
      const payload = { code: 'feature_not_supported', param: 'parallel_tool_calls' };
      expect(refusedBy(place)).toMatchObject(payload);
      return;
    }
    const { bodyJson, needs } = place();
    expect(JSON.parse(bodyJson)).toHaveProperty('tools');
    expect((JSON.parse(bodyJson) as typeof value).parallel_tool_calls).toBe(told);
    expect(needs?.parallelToolCalls).toBe(asked ? true : undefined);
  });

  it('has what a model thought, as part of the prompt, for models that think alone', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const sealed = { ...call, extra_content: { google: { thought_signature: 'x' } } };
    const messages = [
      message,
      { role: 'assistant', content: 'Hi', reasoning_content: 'hm '.repeat(100), tool_calls: [sealed] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ];
    const value = { ...base, messages, reasoning_effort: 'none' };
    const place = (capabilities: Partial<typeof demoModel.capabilities>) =>
      placeOrder(readRequest({ ok: true, value }), {
        findModel: () => ({ ...demoModel, capabilities: { ...demoModel.capabilities, ...capabilities } }),
        environment: ENVIRONMENTS.testnet,
        assertReachable: () => undefined,
        maxPayloadBytes: () => 1024 * 1024,
      });
    const thinking = place({ reasoning: true });
    expect(JSON.parse(thinking.bodyJson)).toEqual({ messages, reasoning_effort: 'none' });
    const other = place({ reasoning: false });
    expect(other.bodyJson).not.toMatch(/reasoning_content|extra_content|reasoning_effort/);
    expect(thinking.inputEstimate - other.inputEstimate).toBeGreaterThanOrEqual(100);
  });

  it('has the text for content where it is the only part', () => {
    const bodyOf = (content: unknown) => orderOf({ messages: [{ role: 'user', content }] }).bodyJson;
    const part = (text: string) => ({ type: 'text', text });
    expect(bodyOf([part('Hello')])).toBe(bodyOf('Hello'));
    expect(JSON.parse(bodyOf([part('Hi'), part('Ho')]))).toMatchObject({
      messages: [{ content: [part('Hi'), part('Ho')] }],
    });
  });

  it('has an empty object where a call came without arguments', () => {
    const bodyOf = (args: string) => {
      const called = { id: 'a', type: 'function', function: { name: 'f', arguments: args } };
      return orderOf({ messages: [message, { role: 'assistant', tool_calls: [called] }] }).bodyJson;
    };
    for (const none of ['', ' ', '[]', 'null']) expect(bodyOf(none)).toBe(bodyOf('{}'));
  });

  it('measures itself', () => {
    const fields = {
      messages: [{ role: 'user' as const, content: '漢' }],
      tools: [{ type: 'function' as const, function: { name: 'a', description: 'ä' } }],
      response_format: { type: 'json_object' as const },
      ...{ stop: 'é', temperature: 0.5 },
    };
    const body = runBodyOf({ model: 'm', ...fields });
    expect(body.bytes).toBe(Buffer.byteLength(body.json));
    expect(JSON.parse(body.json)).toEqual(fields);
    const names: string[] = Object.keys(fields);
    expect(Object.keys(JSON.parse(body.json) as object)).toEqual(
      RUN_BODY_FIELDS.filter((field) => names.includes(field)),
    );
  });

  it('is refused when it would not fit into a message', () => {
    const messages = [{ role: 'user', content: 'x'.repeat(50_000) }];
    expect(refusalOf({ messages }, { maxPayloadBytes: 100_000 })).toEqual([
      413,
      'invalid_request',
      undefined,
    ]);
  });
});

describe('the output limit', () => {
  const { inputEstimate: estimate, inputLeast: least } = orderOf({});

  it.each<[string, object, number, number]>([
    ['what is asked for', { max_tokens: 7 }, 32_768, 7],
    ['what is asked for by the other name', { max_completion_tokens: 7 }, 32_768, 7],
    ['the model’s maximum', { max_tokens: 8_192 }, 32_768, 8_192],
    ['by default the model’s maximum', {}, 32_768, 8_192],
    ['by default what the context leaves', {}, 1_000, 1_000 - estimate],
    ['one last token', {}, least + 1, 1],
    ['what is asked for, though the estimate leaves less', { max_tokens: 7 }, least + 7, 7],
  ])('is %s', (_, fields, contextLimit, expected) => {
    expect(orderOf(fields, { contextLimit }).maxTokens).toBe(expected);
  });

  it('is by default at most 16,384', () => {
    const capabilities = { ...demoModel.capabilities, maxOutputTokens: 30_000 };
    const order = placeOrder(readRequest({ ok: true, value: base }), {
      findModel: () => ({ ...demoModel, capabilities }),
      environment: ENVIRONMENTS.testnet,
      assertReachable: () => undefined,
      maxPayloadBytes: () => 1024 * 1024,
    });
    expect(order.maxTokens).toBe(16_384);
  });

  it.each<[string, object, number]>([
    ['messages', {}, least],
    ['messages', { max_tokens: 1 }, least - 5],
    ['max_tokens', { max_tokens: 2 }, least + 1],
    ['max_tokens', { max_tokens: 8_193 }, 32_768],
    ['max_completion_tokens', { max_completion_tokens: 8_193 }, 32_768],
  ])('refuses %s', (param, fields, contextLimit) => {
    expect(refusalOf(fields, { contextLimit })).toEqual([400, 'invalid_request', param]);
  });
});

describe('an order from the routing model', () => {
  const { toolContract } = demoModel;
  const serial = {
    ...demoModel,
    id: 'svc/serial@1',
    toolContract: toolContract && { ...toolContract, parallel_tool_calls: false },
  };
  const routing: RoutingModel = {
    id: 'svc/cortex@1',
    created: 0,
    ownedBy: 'svc',
    ceiling: { inputPricePerMtok: '200000', outputPricePerMtok: '800000' },
    candidates: [toollessModel, demoModel, serial],
  };
  const routed = (fields: object) =>
    placeOrder(readRequest({ ok: true, value: { ...base, model: routing.id, ...fields } }), {
      findModel: () => routing,
      environment: ENVIRONMENTS.testnet,
      assertReachable: () => undefined,
      maxPayloadBytes: () => 1024 * 1024,
    });
  const tools = [{ type: 'function', function: { name: 'a', strict: true } }];

  it('names those that can do what is asked, the ceiling, and one limit for all', () => {
    expect(routed({})).toMatchObject({
      model: 'svc/cortex@1',
      routing: {
        candidates: ['svc/plain@1', 'svc/demo@1', 'svc/serial@1'],
        maxInputPricePerMtok: '200000',
        maxOutputPricePerMtok: '800000',
      },
      maxTokens: 1_024,
    });
    expect(routed({ tools, tool_choice: 'required' })).toMatchObject({
      routing: { candidates: ['svc/demo@1', 'svc/serial@1'] },
      needs: { toolChoice: 'required', strictSchemas: true },
      maxTokens: 8_192,
    });
    expect(routed({ tools, parallel_tool_calls: true })).toMatchObject({
      routing: { candidates: ['svc/demo@1'] },
      needs: { toolChoice: 'auto', parallelToolCalls: true, strictSchemas: true },
    });
    expect(orderOf({}).routing).toBeUndefined();
  });

  it('switches parallel calls off when one that may answer was not certified for them', () => {
    expect(JSON.parse(routed({ tools }).bodyJson)).toMatchObject({ parallel_tool_calls: false });
    expect(JSON.parse(routed({ tools, parallel_tool_calls: true }).bodyJson)).toMatchObject({
      parallel_tool_calls: true,
    });
  });
});

describe('the order of refusals', () => {
  it('is shape, model, features, limits', () => {
    const wrong = { model: 'svc/none@1', n: 2, max_tokens: 99_999 };
    expect(refusalOf({ ...wrong, temperature: 9 })[2]).toBe('temperature');
    expect(refusalOf(wrong)).toEqual([404, 'model_not_found', 'model']);
    expect(refusalOf({ ...wrong, model: demoModel.id })).toEqual([400, 'feature_not_supported', 'n']);
    expect(refusalOf({ max_tokens: 99_999 })).toEqual([400, 'invalid_request', 'max_tokens']);
    const tools = [{ type: 'custom', custom: { name: 'a' } }];
    expect(refusalOf({ tools, model: 'svc/none@1' })[0]).toBe(404);
    expect(refusalOf({ tools })).toEqual([400, 'feature_not_supported', 'tools[0].type']);
    expect(refusalOf({ tools: [{ ...tools[0], type: 'robot' }] })[1]).toBe('invalid_request');
  });

  it('tells that NATS is away before it tells what NATS would not take, and after all that stays wrong', () => {
    const terms = { away: true, maxPayloadBytes: 0 };
    expect(refusalOf({}, terms)).toEqual([503, 'no_capacity', undefined]);
    expect(refusalOf({ model: 'svc/none@1' }, terms)[0]).toBe(404);
    expect(refusalOf({ max_tokens: 99_999 }, terms)[0]).toBe(400);
  });
});
