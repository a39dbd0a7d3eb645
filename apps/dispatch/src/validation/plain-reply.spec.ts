import { uncrowded } from '../testing/uncrowded.for-spec';
import { InvalidReplyError } from './invalid-reply.error';
import { readPlainReply } from './plain-reply';
import { replyRulesOf } from './reply-rules';
import { replySchemas } from './reply-schemas.for-spec';
import { ProviderErrorEvent } from './stream-reply';
import type { WholeReply } from './whole-reply';

const schemas = replySchemas();

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const tools = [{ type: 'function', function: { name: 'weather' } }];

function reply(message: unknown, finish: unknown = 'stop', extra: object = {}): object {
  return {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
    ...extra,
  };
}

function read(body: object | string, request: object = {}): Promise<WholeReply> {
  return readPlainReply(
    typeof body === 'string' ? body : JSON.stringify(body),
    replyRulesOf(request),
    schemas,
    Infinity,
  );
}

async function reasonOf(body: object | string, request: object = {}): Promise<string> {
  try {
    await uncrowded(() => read(body, request));
  } catch (error) {
    if (InvalidReplyError.is(error)) return error.reason;
    throw error;
  }
  return 'valid';
}

const text = (words: string) => ({ type: 'text', text: words });

const callMessage = (args: unknown, name: unknown = 'weather') => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'theirs', type: 'function', function: { name, arguments: args } }],
});

const callsMessage = (count: number) => {
  const message = callMessage('{}');
  return { ...message, tool_calls: Array.from({ length: count }, () => message.tool_calls[0]) };
};

describe('a plain reply', () => {
  it('is taken apart into what may be delivered', async () => {
    expect(await read(reply({ role: 'assistant', content: 'Grüß dich', secret: 1 }))).toEqual({
      finishReason: 'stop',
      content: 'Grüß dich',
      toolCalls: [],
      usage: { promptTokens: 9, completionTokens: 3 },
      outputBytes: 11,
      unwantedBytes: 0,
      unseenBytes: 0,
    });
  });

  it('has null for content when it is tool calls only, and an id of ours on each', async () => {
    expect(await read(reply(callMessage('{"city":"Oslo"}'), 'tool_calls'), { tools })).toMatchObject({
      finishReason: 'tool_calls',
      content: null,
      toolCalls: [
        {
          id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string,
          providerId: 'theirs',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
        },
      ],
    });
  });

  it('tells what nobody sees: of its texts, and between the values of calls that are wanted', async () => {
    const hidden = '\u200b'.repeat(5);
    const message = { role: 'assistant', content: `x${hidden}`, reasoning: `y${' '.repeat(20)}` };
    expect(await read(reply(message))).toMatchObject({
      outputBytes: 37,
      unseenBytes: 15 + 4,
      unwantedBytes: 0,
    });
    const call = callMessage(`{"city":${' '.repeat(30)}"Rome"}`).tool_calls[0];
    const calls = reply({ role: 'assistant', content: '', tool_calls: [call, call] }, 'tool_calls');
    expect((await read(calls, { tools })).unseenBytes).toBe(2 * 14);
    const one = await read(calls, { tools, parallel_tool_calls: false });
    expect([one.unseenBytes, one.unwantedBytes]).toEqual([14, one.outputBytes / 2]);
  });

  it('has its one call where the server made more than were wanted', async () => {
    const request = { tools, parallel_tool_calls: false };
    const { toolCalls, finishReason, outputBytes, unwantedBytes } = await read(
      reply(callsMessage(3), 'tool_calls'),
      request,
    );
    expect([toolCalls.length, finishReason]).toEqual([1, 'tool_calls']);
    expect(unwantedBytes).toBe((outputBytes / 3) * 2);
    expect((await read(reply(callsMessage(3), 'tool_calls'), { tools })).unwantedBytes).toBe(0);
    expect(await reasonOf(reply(callsMessage(3), 'length'), request)).toBe('valid');
  });

  it.each([
    [{ reasoning_content: 'hm' }, 'hm', 'reasoning_content'],
    [{ reasoning: 'hm' }, 'hm', 'reasoning'],
    [{ reasoning_content: null, reasoning: 'hm' }, 'hm', 'reasoning'],
    [{ reasoning_content: '', reasoning: 'hm' }, 'hm', 'reasoning'],
    [{ reasoning_content: 'hm', reasoning: 'hm' }, 'hm', 'reasoning'],
    [{ reasoning: { effort: 'low' } }, undefined, undefined],
  ])('has the reasoning of %j, which is output, and its name', async (fields, reasoning, reasoningField) => {
    const message = { role: 'assistant', content: 'x', ...fields };
    const outputBytes = reasoning ? 3 : 1;
    expect(await read(reply(message))).toMatchObject({ reasoning, reasoningField, outputBytes });
  });

  it('has what its server put beside a call, unless nobody would or could send it back', async () => {
    const extra = { google: { thought_signature: 'x' } };
    const beside = async (extra_content: unknown) => {
      const message = callsMessage(1);
      Object.assign(message.tool_calls[0] ?? {}, { extra_content });
      const { toolCalls, reasoningField } = await read(reply(message, 'tool_calls'), { tools });
      return [toolCalls[0]?.extraContent, reasoningField];
    };
    expect(await beside(extra)).toEqual([extra, 'extra_content']);
    const deep: unknown = JSON.parse('['.repeat(64) + ']'.repeat(64));
    const halves = [{ google: 'x\ud83d' }, { '\ud83d': 'x' }];
    const many = { google: Array.from({ length: 1_024 }, () => 0) };
    for (const none of [undefined, null, 'x', { google: 'x'.repeat(17_000) }, { deep }, many, ...halves]) {
      expect(await beside(none)).toEqual([undefined, undefined]);
    }
  });

  it('has the texts and the thoughts of content that comes in parts', async () => {
    const content = [
      { type: 'thinking', thinking: [text('so '), text('it is')] },
      text('Grüß '),
      { type: 'thinking', thinking: [text('!')] },
      text('dich'),
    ];
    const whole = await read(reply({ role: 'assistant', content }));
    expect(whole).toMatchObject({ content: 'Grüß dich', reasoning: 'so it is!', outputBytes: 20 });
    const { content: none, reasoning } = await read(reply({ role: 'assistant', content: [] }));
    expect([none, reasoning]).toEqual(['', undefined]);
  });

  it('has the words of references, as far as they have any', async () => {
    const content = [
      text('It is '),
      { type: 'reference', reference_ids: [0], text: '42' },
      { type: 'reference', reference_ids: ['doc-1'] },
      { type: 'thinking', thinking: [text('so'), { type: 'reference', reference_ids: [1] }] },
    ];
    const whole = await read(reply({ role: 'assistant', content }));
    expect(whole).toMatchObject({ content: 'It is 42', reasoning: 'so', outputBytes: 10 });
  });

  it('has no words where all of it was filtered, and the filter is named', async () => {
    const filtered = { choices: [{ index: 0, finish_reason: 'content_filter: PROHIBITED_CONTENT' }] };
    expect(await read(filtered)).toMatchObject({
      finishReason: 'content_filter',
      content: '',
      outputBytes: 0,
    });
  });

  it('may have very many calls', async () => {
    expect((await read(reply(callsMessage(128), 'tool_calls'), { tools })).toolCalls).toHaveLength(128);
  });

  it.each([null, []])('calls nobody where its calls are %j', async (tool_calls) => {
    const whole = await read(reply({ role: 'assistant', content: 'x', tool_calls }), { tools });
    expect(whole).toMatchObject({ content: 'x', toolCalls: [], finishReason: 'stop' });
  });

  it('has text for content when there is none', async () => {
    expect((await read(reply({ role: 'assistant', content: null }))).content).toBe('');
    expect(await read(reply({ role: 'assistant', content: null, refusal: 'no' }))).toMatchObject({
      content: null,
      refusal: 'no',
    });
  });

  it.each<[string, object | string, string]>([
    ['no JSON', 'Internal Server Error', 'not_json'],
    ['nothing', '', 'not_json'],
    ['cut JSON', '{"choices":[{', 'not_json'],
    ['no object', '[]', 'shape'],
    [
      'half a character',
      String.raw`{"choices":[{"message":{"content":"\ud83d"},"finish_reason":"stop"}]}`,
      'not_utf8',
    ],
    ['no choices', { choices: [] }, 'shape'],
    ['two choices', { choices: [{}, {}] }, 'shape'],
    [
      'half a character of a refusal',
      String.raw`{"choices":[{"message":{"refusal":"\ud83d"},"finish_reason":"stop"}]}`,
      'not_utf8',
    ],
    [
      'half a character of a thought',
      String.raw`{"choices":[{"message":{"reasoning":"\ud83d","content":"x"},"finish_reason":"stop"}]}`,
      'not_utf8',
    ],
    ['another index', { choices: [{ index: 1, message: { content: 'x' }, finish_reason: 'stop' }] }, 'shape'],
    ['no message', { choices: [{ index: 0, finish_reason: 'stop' }] }, 'shape'],
    ['another role', reply({ role: 'user', content: 'x' }), 'shape'],
    ['content that is no text', reply({ role: 'assistant', content: { type: 'text', text: 'x' } }), 'shape'],
    ['parts that are no parts', reply({ role: 'assistant', content: ['x'] }), 'shape'],
    ['a part of another kind', reply({ role: 'assistant', content: [{ type: 'image_url' }] }), 'shape'],
    ['a part without a text', reply({ role: 'assistant', content: [{ type: 'text', text: 7 }] }), 'shape'],
    [
      'thoughts in no parts',
      reply({ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }),
      'shape',
    ],
    ['no finish reason', reply({ role: 'assistant', content: 'x' }, null), 'no_finish_reason'],
    ['an empty finish reason', reply({ role: 'assistant', content: 'x' }, ''), 'no_finish_reason'],
    [
      'an unknown finish reason',
      reply({ role: 'assistant', content: 'x' }, 'network_error'),
      'finish_reason',
    ],
    [
      'the legacy finish reason',
      reply({ role: 'assistant', content: 'x' }, 'function_call'),
      'finish_reason',
    ],
    [
      'the legacy call',
      reply({ content: null, function_call: { name: 'f', arguments: '{}' } }),
      'call_shape',
    ],
    ['tool_calls without any', reply({ role: 'assistant', content: 'x' }, 'tool_calls'), 'tool_call'],
    ['a call to what was not offered', reply(callMessage('{}', 'launch'), 'tool_calls'), 'tool_call'],
    ['a call without a name', reply(callMessage('{}', ''), 'tool_calls'), 'tool_call'],
    ['a call with a number for a name', reply(callMessage('{}', 7), 'tool_calls'), 'call_shape'],
    ['arguments that are no text and no object', reply(callMessage(['Oslo']), 'tool_calls'), 'call_shape'],
    [
      'an object for arguments with a whole number that would lose digits',
      JSON.stringify(reply(callMessage({ n: 0 }), 'tool_calls')).replace('"n":0', '"n":9007199254740993'),
      'call_shape',
    ],
    [
      'an object for arguments with a number that no language holds',
      JSON.stringify(reply(callMessage({ n: 0 }), 'tool_calls')).replace('"n":0', '"n":[1e999]'),
      'call_shape',
    ],
    [
      'an object for arguments with half a character',
      reply(callMessage({ city: '\ud83d' }), 'tool_calls'),
      'not_utf8',
    ],
    ['arguments that are no JSON', reply(callMessage('{city}'), 'tool_calls'), 'tool_arguments'],
    ['arguments that are a list', reply(callMessage('[]'), 'tool_calls'), 'tool_call'],
    ['calls that are no objects', reply({ role: 'assistant', tool_calls: ['x'] }), 'call_shape'],
    ['a call of nothing', reply({ role: 'assistant', tool_calls: [{ type: 'function' }] }), 'call_shape'],
    [
      'a call of another type',
      reply({ role: 'assistant', tool_calls: [{ ...callMessage('{}').tool_calls[0], type: 'custom' }] }),
      'call_shape',
    ],
    ['calls that are no list', reply({ role: 'assistant', tool_calls: 'x' }), 'call_shape'],
    ['more calls than anybody wants', reply(callsMessage(129), 'tool_calls'), 'tool_call'],
  ])('is refused for %s', async (_, body, reason) => {
    expect(await reasonOf(body, { tools })).toBe(reason);
  });

  // TGI until 3.1, llama.cpp's server for some weeks of spring 2026.
  it('may have the document itself for arguments, which the client gets as text', async () => {
    const { toolCalls, outputBytes } = await read(
      reply(callMessage({ city: 'Zürich', days: [1, 2.5], at: null }), 'tool_calls'),
      { tools },
    );
    const args = '{"city":"Zürich","days":[1,2.5],"at":null}';
    expect(toolCalls).toMatchObject([{ name: 'weather', arguments: args }]);
    expect(outputBytes).toBe(Buffer.byteLength(`weather${args}`));
    const strict = { type: 'object', properties: { city: { type: 'integer' } }, required: ['city'] };
    const demanding = [{ type: 'function', function: { name: 'weather', strict: true, parameters: strict } }];
    expect(await reasonOf(reply(callMessage({ city: 'Oslo' }), 'tool_calls'), { tools: demanding })).toBe(
      'tool_call',
    );
  });

  it('has its last call left out where max_tokens cut it and the server says tool_calls all the same', async () => {
    const cut = JSON.stringify(reply(callMessage('{"ci'), 'tool_calls'));
    const rules = replyRulesOf({ tools });
    expect(await readPlainReply(cut, rules, schemas, 3)).toMatchObject({
      finishReason: 'length',
      toolCalls: [],
    });
    expect(await reasonOf(cut, { tools })).toBe('tool_arguments');
  });

  it('may end with end_turn, as Bedrock’s gateway and OpenRouter have', async () => {
    expect((await read(reply({ role: 'assistant', content: 'x' }, 'end_turn'))).finishReason).toBe('stop');
  });

  it('tells an error under status 200 from an invalid reply', async () => {
    await expect(read({ error: { message: 'CUDA out of memory' } })).rejects.toThrow(ProviderErrorEvent);
    expect(await reasonOf(reply({ role: 'assistant', content: 'x' }, 'stop', { error: null }))).toBe('valid');
  });

  it('may have null for what servers still know of the legacy call', async () => {
    const nothing = { content: 'Hi', refusal: null, function_call: null, tool_calls: null };
    expect(await read(reply(nothing))).toMatchObject({ content: 'Hi', refusal: undefined, toolCalls: [] });
  });

  it('may be a refusal where a call was asked for, and nothing else', async () => {
    const asking = { tools, tool_choice: 'required' };
    expect(await read(reply({ content: null, refusal: 'No.\u200b' }), asking)).toMatchObject({
      outputBytes: 6,
      unseenBytes: 3,
    });
    expect(await reasonOf(reply({ content: 'No.' }), asking)).toBe('tool_choice');
    expect(await reasonOf(reply({ content: 'No.', refusal: '' }), asking)).toBe('tool_choice');
    expect(await reasonOf(reply({ content: 'Sure, Oslo.', refusal: 'No.' }), asking)).toBe('tool_choice');
  });

  it('is refused for arguments that the client’s own stop sequence cut, which suspends nobody', async () => {
    const cut = reply(callMessage('{"city":'), 'tool_calls');
    expect(await reasonOf(cut, { tools })).toBe('tool_arguments');
    expect(await reasonOf(cut, { tools, stop: ['"'] })).toBe('tool_call');
  });

  it('is refused for arguments that the client’s own sampling may have broken, which suspends nobody', async () => {
    const broken = reply(callMessage('{city:Paris'), 'tool_calls');
    for (const hot of [{ temperature: 1.1 }, { frequency_penalty: 0.5 }, { presence_penalty: -2 }]) {
      expect(await reasonOf(broken, { tools, ...hot })).toBe('tool_call');
    }
    const usual = { temperature: 1, top_p: 0.5, frequency_penalty: 0, presence_penalty: 0 };
    expect(await reasonOf(broken, { tools, ...usual })).toBe('tool_arguments');
  });

  it.each([undefined, null, '', '\n'])(
    'has an empty object for arguments that are %j where the function requires none',
    async (given) => {
      const message = callMessage(given);
      const { toolCalls } = await read(reply(message, 'tool_calls'), { tools });
      expect(toolCalls).toMatchObject([{ name: 'weather', arguments: '{}' }]);
      const demanding = [
        {
          type: 'function',
          function: { name: 'weather', parameters: { type: 'object', required: ['city'] } },
        },
      ];
      expect(await reasonOf(reply(message, 'tool_calls'), { tools: demanding })).toBe('tool_call');
    },
  );

  it('survives hostile depth', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(await reasonOf(`{"choices":${deep}}`)).toMatch('too_complex');
    expect(await reasonOf(reply(callMessage(`{"a":${deep}}`), 'tool_calls'), { tools })).toMatch(
      'too_complex',
    );
  });
});

describe('matching against a client’s schema', () => {
  const format = (schema: object) => ({
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  });
  const content = (value: unknown) => reply({ role: 'assistant', content: JSON.stringify(value) });

  it('takes the dialect that schema tools write, with its markers', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.org/person',
      type: 'object',
      properties: { child: { $ref: '#/$defs/person' }, mail: { type: 'string', format: 'email' } },
      $defs: { person: { type: 'object', required: ['name'] } },
      required: ['child'],
    };
    expect(await reasonOf(content({ child: { name: 'Ada' }, mail: 'x' }), format(schema))).toBe('valid');
    expect(await reasonOf(content({ child: {} }), format(schema))).toBe('structured_output');
    // The same id with another meaning, from another client.
    expect(await reasonOf(content('x'), format({ $id: 'https://example.org/person', type: 'string' }))).toBe(
      'valid',
    );
  });

  it('stops what would not end: a hostile pattern, an exploding schema', async () => {
    const pattern = format({ type: 'string', pattern: '^(a+)+$' });
    expect(await reasonOf(content(`${'a'.repeat(40)}!`), pattern)).toBe('schema_too_expensive');
    const both = { items: { $ref: '#/$defs/x' } };
    const exploding = format({
      $defs: { x: { anyOf: [both, { ...both, minItems: 1 }], not: { type: 'number' } } },
      $ref: '#/$defs/x',
    });
    let value: unknown = 1;
    for (let depth = 0; depth < 40; depth++) value = [value];
    expect(await reasonOf(content(value), exploding)).toBe('schema_too_expensive');
    // Another request's is judged by itself; where nothing was too expensive, by the same compiled one.
    expect(await reasonOf(content('aaa'), structuredClone(pattern))).toBe('valid');
  });

  it('lets no value pass for a checked one when the schema is none', async () => {
    expect(await reasonOf(content(1), format({ $ref: 'https://elsewhere.example/schema' }))).toBe(
      'schema_unusable',
    );
    expect(await reasonOf(content(1), format({ $async: true, type: 'string' }))).toBe('structured_output');
  });

  it('refuses a strict call without what is required, whatever the pattern escapes', async () => {
    const properties = { city: { type: 'string', pattern: '^\\_x' }, unit: {} };
    const parameters = { type: 'object', properties, required: ['city', 'unit'] };
    const request = {
      tools: [{ type: 'function', function: { name: 'weather', strict: true, parameters } }],
    };
    const call = (args: object) => reply(callMessage(JSON.stringify(args)), 'tool_calls');
    expect(await reasonOf(call({ city: '_x' }), request)).toBe('tool_call');
    expect(await reasonOf(call({ city: 'x', unit: 'c' }), request)).toBe('tool_call');
    expect(await reasonOf(call({ city: '_x', unit: 'c' }), request)).toBe('valid');
  });
});
