import { parseChatCompletionRequest } from './parse-chat-completion';

const hello = { role: 'user', content: 'Hello' };
const base = { model: 'svc/demo@1', messages: [hello] };
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
const tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };

function kept(fields: object): object {
  const result = parseChatCompletionRequest({ ...base, ...fields });
  if (!result.ok) throw new Error(`${result.problem.path} ${result.problem.message}`);
  return result.value;
}

function pathOf(input: unknown): string {
  const result = parseChatCompletionRequest(input);
  return result.ok ? 'accepted' : result.problem.path;
}

describe('a chat-completion request', () => {
  it.each<[string, object]>([
    ['stream', { stream: true }],
    ['stream', { stream: false }],
    ['stream options', { stream: true, stream_options: { include_usage: true } }],
    ['max_tokens', { max_tokens: 1 }],
    ['max_completion_tokens', { max_completion_tokens: 7 }],
    ['both limits, equal', { max_tokens: 7, max_completion_tokens: 7 }],
    ['temperature 0', { temperature: 0 }],
    ['temperature 2', { temperature: 2 }],
    ['top_p', { top_p: 1 }],
    ['n', { n: 2 }],
    ['one stop', { stop: 'END' }],
    ['four stops', { stop: ['a', 'b', 'c', 'd'] }],
    ['the longest stop', { stop: 'x'.repeat(1_024) }],
    [
      'the longest texts, counted in characters as JSON Schema counts',
      {
        messages: [
          { ...hello, name: 'n\ufe0f'.repeat(128) },
          { role: 'tool', content: '42', tool_call_id: '😀'.repeat(256) },
        ],
        user: '😀'.repeat(512),
        stop: '😀'.repeat(1_024),
        metadata: { ['😀'.repeat(64)]: '😀'.repeat(512) },
      },
    ],
    ['seed', { seed: -5 }],
    ['penalties', { presence_penalty: -2, frequency_penalty: 2 }],
    ['tools', { tools: [tool] }],
    [
      '128 tools of 100 properties each',
      {
        tools: Array.from({ length: 128 }, (_, at) => {
          const fields = Array.from({ length: 100 }, (_field, n) => [`f${n}`, { type: 'string' }]);
          const parameters = { type: 'object', properties: Object.fromEntries(fields) as object };
          return { type: 'function', function: { name: `f${at}`, parameters } };
        }),
      },
    ],
    ...[
      {},
      { type: ['object', 'null'] },
      { $ref: '#/$defs/a', $defs: { a: { type: 'object' }, b: { type: 'string' } } },
    ].map((parameters): [string, object] => [
      `a function's parameters ${JSON.stringify(parameters)}`,
      { tools: [{ type: 'function', function: { name: 'a', parameters } }] },
    ]),
    ['tool_choice word', { tools: [tool], tool_choice: 'required' }],
    [
      'tool_choice function',
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'look_up' } } },
    ],
    ['parallel_tool_calls', { tools: [tool], parallel_tool_calls: false }],
    ['text format', { response_format: { type: 'text' } }],
    ['json_object format', { response_format: { type: 'json_object' } }],
    [
      'json_schema format',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
    ],
    ['logprobs', { logprobs: true, top_logprobs: 20 }],
    ['logit_bias', { logit_bias: { '50256': -100 } }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
    ['the highest reasoning_effort', { reasoning_effort: 'max' }],
    ['user', { user: 'someone' }],
    ['metadata', { metadata: { a: 'b' } }],
    ['store', { store: true }],
    ['a system message', { messages: [{ role: 'system', content: '' }, hello] }],
    ['a named message', { messages: [{ ...hello, name: 'Ada' }] }],
    [
      'text parts',
      { messages: [{ role: 'user', content: ['Hi', 'Ho'].map((text) => ({ type: 'text', text })) }] },
    ],
    [
      'a tool exchange',
      {
        messages: [
          hello,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', content: '42', tool_call_id: 'call_1' },
        ],
      },
    ],
  ])('takes %s as it is', (_, fields) => {
    expect(kept(fields)).toEqual({ ...base, ...fields });
  });

  it.each<[string, unknown]>([
    ['', null],
    ['', []],
    ['', 'text'],
    ['model', { messages: [hello] }],
    ['model', { ...base, model: 5 }],
    ['model', { ...base, model: '' }],
    ['model', { ...base, model: 'm'.repeat(257) }],
    ['messages', { model: 'svc/demo@1' }],
    ['messages', { ...base, messages: [] }],
    ['messages', { ...base, messages: { 0: hello } }],
    ['messages', { ...base, messages: Array.from({ length: 10_001 }, () => hello) }],
    ['messages[0]', { ...base, messages: ['Hello'] }],
    ['messages[1]', { ...base, messages: [hello, null] }],
    ['messages[0].role', { ...base, messages: [{ content: 'x' }] }],
    ['messages[0].role', { ...base, messages: [{ role: 'function', content: 'x' }] }],
    ['messages[0].role', { ...base, messages: [{ role: ['user'], content: 'x' }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user' }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: null }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: null, tool_calls: [call] }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'assistant', content: null }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'assistant', content: null, tool_calls: [] }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'assistant', content: null, refusal: '' }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'assistant', content: null, refusal: null }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: null, refusal: 'No.' }] }],
    [
      'messages[0].tool_calls[0].extra_content',
      {
        ...base,
        messages: [{ role: 'assistant', content: '', tool_calls: [{ ...call, extra_content: 'x' }] }],
      },
    ],
    [
      'messages[0].tool_calls[0].extra_content',
      {
        ...base,
        messages: [
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ ...call, extra_content: { google: Array.from({ length: 1_024 }, () => 0) } }],
          },
        ],
      },
    ],
    [
      'messages[0].reasoning_content',
      { ...base, messages: [{ role: 'assistant', content: 'x', reasoning_content: 5 }] },
    ],
    ['messages[0].refusal', { ...base, messages: [{ role: 'assistant', content: 'x', refusal: 5 }] }],
    [
      'messages[0].content[0].refusal',
      { ...base, messages: [{ role: 'assistant', content: [{ type: 'refusal' }] }] },
    ],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: 5 }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: {} }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: [] }] }],
    ['messages[0].content[0]', { ...base, messages: [{ role: 'user', content: ['Hi'] }] }],
    ['messages[0].content[0].type', { ...base, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }],
    ['messages[0].content[0].text', { ...base, messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
    ['messages[0].name', { ...base, messages: [{ ...hello, name: 1 }] }],
    ['messages[0].name', { ...base, messages: [{ ...hello, name: 'n'.repeat(257) }] }],
    ['messages[0].tool_call_id', { ...base, messages: [{ role: 'tool', content: 'x' }] }],
    [
      'messages[0].tool_call_id',
      { ...base, messages: [{ role: 'tool', content: 'x', tool_call_id: '😀'.repeat(257) }] },
    ],
    ['stop', { ...base, stop: `x${'\ufe0f'.repeat(1_024)}` }],
    ['messages[0].tool_call_id', { ...base, messages: [{ role: 'tool', content: 'x', tool_call_id: '' }] }],
    ['messages[0].tool_calls', { ...base, messages: [{ role: 'assistant', content: '', tool_calls: {} }] }],
    [
      'messages[0].tool_calls[0].id',
      { ...base, messages: [{ role: 'assistant', tool_calls: [{ ...call, id: '' }] }] },
    ],
    [
      'messages[0].tool_calls[0].type',
      { ...base, messages: [{ role: 'assistant', tool_calls: [{ ...call, type: 'custom' }] }] },
    ],
    [
      'messages[0].tool_calls[0].function',
      { ...base, messages: [{ role: 'assistant', tool_calls: [{ ...call, function: undefined }] }] },
    ],
    [
      'messages[0].tool_calls[0].function.name',
      {
        ...base,
        messages: [
          { role: 'assistant', tool_calls: [{ ...call, function: { name: 'a b', arguments: '' } }] },
        ],
      },
    ],
    [
      'messages[0].tool_calls[0].function.arguments',
      {
        ...base,
        messages: [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'a', arguments: {} } }] }],
      },
    ],
    ...['[1]', '[null]', '"x"', '5', 'true'].map((text): [string, object] => [
      'messages[0].tool_calls[0].function.arguments',
      {
        ...base,
        messages: [
          { role: 'assistant', tool_calls: [{ ...call, function: { name: 'a', arguments: text } }] },
        ],
      },
    ]),
    [
      'messages[1].tool_calls[1].function.arguments',
      {
        ...base,
        messages: [
          hello,
          {
            role: 'assistant',
            tool_calls: [call, { ...call, function: { name: 'a', arguments: '{"city": "Par' } }],
          },
        ],
      },
    ],
    ['stream', { ...base, stream: 'true' }],
    ['stream_options', { ...base, stream: true, stream_options: 5 }],
    ['stream_options', { ...base, stream_options: {} }],
    ['stream_options.include_usage', { ...base, stream: true, stream_options: { include_usage: 1 } }],
    ['max_tokens', { ...base, max_tokens: 0 }],
    ['max_tokens', { ...base, max_tokens: 1.5 }],
    ['max_tokens', { ...base, max_tokens: '10' }],
    ['max_tokens', { ...base, max_tokens: 1e10 }],
    ['max_completion_tokens', { ...base, max_completion_tokens: -1 }],
    ['max_completion_tokens', { ...base, max_tokens: 5, max_completion_tokens: 6 }],
    ['temperature', { ...base, temperature: -0.1 }],
    ['temperature', { ...base, temperature: 2.1 }],
    ['temperature', { ...base, temperature: '1' }],
    ['top_p', { ...base, top_p: -0.1 }],
    ['top_p', { ...base, top_p: 1.1 }],
    ['n', { ...base, n: 0 }],
    ['n', { ...base, n: 1.5 }],
    ['stop', { ...base, stop: '' }],
    ['stop', { ...base, stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['stop', { ...base, stop: 7 }],
    ['stop[1]', { ...base, stop: ['a', ''] }],
    ['stop[0]', { ...base, stop: [null] }],
    ['stop', { ...base, stop: 'x'.repeat(1_025) }],
    ['stop[1]', { ...base, stop: ['x'.repeat(1_024), 'x'.repeat(1_025)] }],
    ['seed', { ...base, seed: 1.5 }],
    ['seed', { ...base, seed: 1e300 }],
    ['presence_penalty', { ...base, presence_penalty: 2.5 }],
    ['frequency_penalty', { ...base, frequency_penalty: -2.5 }],
    ['tools', { ...base, tools: {} }],
    ['tools', { ...base, tools: { padding: 'x'.repeat(40 * 1024) } }],
    ['tools', { ...base, tools: Array.from({ length: 129 }, () => tool) }],
    ['tools', { ...base, tools: [{ ...tool, padding: 'x'.repeat(512 * 1024) }] }],
    ['tools[0]', { ...base, tools: ['look_up'] }],
    ['tools[0].type', { ...base, tools: [{ ...tool, type: 'robot' }] }],
    ['tools[0].type', { ...base, tools: [{ function: tool.function }] }],
    ['tools[0].function', { ...base, tools: [{ type: 'function' }] }],
    ['tools[0].function.name', { ...base, tools: [{ type: 'function', function: {} }] }],
    [
      'tools[0].function.name',
      { ...base, tools: [{ type: 'function', function: { name: 'n'.repeat(65) } }] },
    ],
    ['tools[1].function.name', { ...base, tools: [tool, tool] }],
    [
      'tools[0].function.description',
      { ...base, tools: [{ type: 'function', function: { name: 'a', description: 1 } }] },
    ],
    [
      'tools[0].function.parameters',
      { ...base, tools: [{ type: 'function', function: { name: 'a', parameters: [] } }] },
    ],
    [
      'tools[0].function.parameters',
      { ...base, tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'thing' } } }] },
    ],
    ...['string', 'array', ['string', 'null']].map((type): [string, unknown] => [
      'tools[0].function.parameters.type',
      { ...base, tools: [{ type: 'function', function: { name: 'a', parameters: { type } } }] },
    ]),
    ...[
      { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: ['string', 'null'] } } },
      { type: 'object', allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { type: 'array' } } },
    ].map((parameters): [string, unknown] => [
      'tools[0].function.parameters',
      { ...base, tools: [{ type: 'function', function: { name: 'a', parameters } }] },
    ]),
    [
      'tools',
      {
        ...base,
        tools: Array.from({ length: 4 }, (_, at) => ({
          type: 'function',
          function: { name: `f${at}`, parameters: { anyOf: Array.from({ length: 4_096 }, () => true) } },
        })),
      },
    ],
    [
      'tools[0].function.strict',
      { ...base, tools: [{ type: 'function', function: { name: 'a', strict: 'yes' } }] },
    ],
    ['tool_choice', { ...base, tools: [tool], tool_choice: 'any' }],
    ['tool_choice', { ...base, tools: [tool], tool_choice: 5 }],
    ['tool_choice', { ...base, tool_choice: 'required' }],
    ['tool_choice.type', { ...base, tools: [tool], tool_choice: {} }],
    ['tool_choice.function', { ...base, tools: [tool], tool_choice: { type: 'function' } }],
    [
      'tool_choice.function.name',
      { ...base, tools: [tool], tool_choice: { type: 'function', function: { name: '' } } },
    ],
    [
      'tool_choice.function.name',
      { ...base, tools: [tool], tool_choice: { type: 'function', function: { name: 'other' } } },
    ],
    ['parallel_tool_calls', { ...base, parallel_tool_calls: 'no' }],
    ['response_format', { ...base, response_format: 'json' }],
    ['response_format.type', { ...base, response_format: { type: 'xml' } }],
    ['response_format.json_schema', { ...base, response_format: { type: 'json_schema' } }],
    [
      'response_format.json_schema.name',
      { ...base, response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    ],
    [
      'response_format.json_schema.schema',
      {
        ...base,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { properties: 5 } } },
      },
    ],
    [
      'response_format.json_schema.strict',
      { ...base, response_format: { type: 'json_schema', json_schema: { name: 'x', strict: 1 } } },
    ],
    ['logprobs', { ...base, logprobs: 5 }],
    ['top_logprobs', { ...base, top_logprobs: 21 }],
    ['logit_bias', { ...base, logit_bias: [] }],
    ['logit_bias', { ...base, logit_bias: { word: 1 } }],
    ['logit_bias.7', { ...base, logit_bias: { 7: 101 } }],
    ['reasoning_effort', { ...base, reasoning_effort: 'most' }],
    ['user', { ...base, user: 5 }],
    ['user', { ...base, user: 'u'.repeat(513) }],
    ['messages[0].name', { ...base, messages: [{ ...hello, name: 'n\ufe0f'.repeat(129) }] }],
    ['user', { ...base, user: 'n\ufe0f'.repeat(257) }],
    ['metadata', { ...base, metadata: 'x' }],
    ['metadata', { ...base, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, ''])) }],
    ['metadata', { ...base, metadata: { ['k'.repeat(65)]: '' } }],
    ['metadata', { ...base, metadata: { ['😀'.repeat(65)]: '' } }],
    ['metadata.a', { ...base, metadata: { a: 1 } }],
    ['metadata.a', { ...base, metadata: { a: 'v'.repeat(513) } }],
    ['store', { ...base, store: 1 }],
    ['messages[1].content', { ...base, messages: [hello, { role: 'user', content: 'Cut \ud83d' }] }],
    [
      'messages[0].content[0].text',
      { ...base, messages: [{ role: 'user', content: [{ type: 'text', text: '\ude00' }] }] },
    ],
    ['stop[1]', { ...base, stop: ['a', '\ude00\ud83d'] }],
    [
      'tools[0].function.parameters.properties',
      {
        ...base,
        tools: [{ type: 'function', function: { name: 'a', parameters: { properties: { '\ud83d': {} } } } }],
      },
    ],
  ])('names %s', (path, input) => {
    expect(pathOf(input)).toBe(path);
  });

  it('drops what it does not know, at every level', () => {
    const given = {
      unknown: 1,
      messages: [
        { ...hello, cache: true },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', cache_control: {} },
            { type: 'text', text: 'Ho' },
          ],
        },
        { role: 'assistant', content: 'x', tool_calls: [{ ...call, extra: 1 }], refusal: null },
      ],
      tools: [{ ...tool, extra: 1 }],
      tool_choice: { type: 'function', function: { name: 'look_up', extra: 1 }, extra: 1 },
    };
    expect(kept(given)).toEqual({
      ...base,
      messages: [
        hello,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 'Ho' },
          ],
        },
        { role: 'assistant', content: 'x', tool_calls: [call] },
      ],
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'look_up' } },
    });
  });

  it.each(['', ' ', '[]', '[ ]', 'null'])(
    'takes calls without arguments, as clients may leave them: %j',
    (none) => {
      const messages = [
        hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...call, function: { name: 'a', arguments: none } }],
        },
      ];
      expect(kept({ messages })).toEqual({ ...base, messages });
    },
  );

  it('says of half a surrogate pair what it is, and takes whole ones and halves in fields that it drops', () => {
    const problem = { path: 'user', message: 'must not hold half a surrogate pair' };
    expect(parseChatCompletionRequest({ ...base, user: '\ud83d' })).toEqual({ ok: false, problem });
    const messages = [{ role: 'user', content: 'Whole: \ud83d\ude00' }];
    expect(kept({ messages, unknown: '\ud83d' })).toEqual({ ...base, messages });
  });

  it('takes null in an optional field as absent, and developer as system', () => {
    const nulls = { max_tokens: null, tools: null, stop: null, user: null, response_format: null };
    expect(kept(nulls)).toEqual(base);
    expect(kept({ messages: [{ role: 'developer', content: 'Be brief.' }] })).toEqual({
      ...base,
      messages: [{ role: 'system', content: 'Be brief.' }],
    });
  });

  it('takes back a refusal as a reply had it: as text, where the message has none and calls nothing', () => {
    const taken = (message: object) =>
      (kept({ messages: [{ role: 'assistant', ...message }] }) as { messages: unknown[] }).messages[0];
    const text = { role: 'assistant', content: 'No.' };
    expect(taken({ content: null, refusal: 'No.' })).toEqual(text);
    expect(taken({ refusal: 'No.' })).toEqual(text);
    expect(taken({ content: '', refusal: 'No.' })).toEqual(text);
    expect(taken({ content: 'No.', refusal: 'Never.' })).toEqual(text);
    expect(taken({ content: null, refusal: 'No.', tool_calls: [call] })).toEqual({
      ...text,
      content: null,
      tool_calls: [call],
    });
    const parts = [
      { type: 'text', text: 'Well. ' },
      { type: 'refusal', refusal: 'No.' },
    ];
    expect(taken({ content: parts })).toEqual({
      ...text,
      content: [parts[0], { type: 'text', text: 'No.' }],
    });
    expect(kept({ messages: [{ ...hello, refusal: 5 }] })).toEqual(base);
  });

  it('takes back what a model thought, of the assistant alone', () => {
    const taken = (message: object) => (kept({ messages: [message] }) as { messages: unknown[] }).messages[0];
    const calling = { role: 'assistant', content: null, tool_calls: [call] };
    for (const thoughts of ['hm', '']) {
      expect(taken({ ...calling, reasoning_content: thoughts })).toEqual({
        ...calling,
        reasoning_content: thoughts,
      });
    }
    expect(taken({ ...calling, reasoning_content: null })).toEqual(calling);
    expect(taken({ ...hello, reasoning_content: 5 })).toEqual(hello);
    const sealed = {
      ...calling,
      tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'x' } } }],
    };
    expect(taken(sealed)).toEqual(sealed);
    expect(taken({ ...calling, tool_calls: [{ ...call, extra_content: null }] })).toEqual(calling);
  });

  it('knows custom tools, by their type, so that it can be said that they are not offered', () => {
    const custom = { type: 'custom', custom: { name: 'look_up' } };
    expect(kept({ tools: [custom, tool] })).toMatchObject({ tools: [{ type: 'custom' }, tool] });
    for (const tool_choice of ['required', custom])
      expect(kept({ tools: [custom], tool_choice })).toMatchObject({ tools: [{ type: 'custom' }] });
  });

  it('knows what would be another kind of reply, by its name, so that it can be said that it is not offered', () => {
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    const functions = [{ name: 'look_up', parameters: { deep } }];
    const asked = { functions, modalities: ['text', 'audio'], web_search_options: { deep } };
    expect(kept(asked)).toEqual({ ...base, ...asked, functions: [{}], web_search_options: {} });
    expect(pathOf({ ...base, functions: 'look_up' })).toBe('functions');
    expect(pathOf({ ...base, modalities: 'audio' })).toBe('modalities');
    expect(pathOf({ ...base, web_search_options: true })).toBe('web_search_options');
  });

  it('is no other request for what it has anyway', () => {
    const fields = { functions: [], modalities: ['text'], web_search_options: null, stop: [] };
    expect(kept(fields)).toEqual(base);
  });

  it('takes the words of tool_choice as an object, as Cursor sends them', () => {
    for (const type of ['auto', 'none', 'required']) {
      expect(kept({ tools: [tool], tool_choice: { type } })).toEqual({
        ...base,
        tools: [tool],
        tool_choice: type,
      });
    }
    expect(kept({ tool_choice: { type: 'auto' } })).toEqual(base);
    expect(pathOf({ ...base, tool_choice: { type: 'required' } })).toBe('tool_choice');
  });

  it('names to a tool of an unknown type the one that can be used', () => {
    const request = { ...base, tools: [{ ...tool, type: 'retrieval' }] };
    const problem = { path: 'tools[0].type', message: 'must be "function"' };
    expect(parseChatCompletionRequest(request)).toEqual({ ok: false, problem });
  });

  it('keeps tool fields only where they mean something', () => {
    const messages = [{ ...hello, tool_call_id: 'x', tool_calls: [call] }];
    expect(kept({ messages, tools: [], tool_choice: 'auto', parallel_tool_calls: true })).toEqual(base);
    expect(kept({ messages: [{ role: 'assistant', tool_calls: [call] }] })).toMatchObject({
      messages: [{ content: null }],
    });
  });

  it('survives any depth', () => {
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    expect(kept({ ignored: deep })).toEqual(base);
    const parameters = { properties: deep };
    expect(pathOf({ ...base, tools: [{ type: 'function', function: { name: 'a', parameters } }] })).toBe(
      'tools',
    );
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: parameters } };
    expect(pathOf({ ...base, response_format: format })).toBe('response_format.json_schema.schema');
    for (const field of ['messages', 'stop', 'metadata', 'logit_bias', 'tool_choice', 'response_format']) {
      expect(pathOf({ ...base, tools: [tool], [field]: deep })).toMatch(field);
    }
    const beside = { ...call, extra_content: { deep } };
    const called = { role: 'assistant', content: null, tool_calls: [beside] };
    expect(pathOf({ ...base, messages: [called] })).toBe('messages[0].tool_calls[0].extra_content');
    const choice = { type: 'function', function: { name: 'look_up' } };
    expect(kept({ tools: [tool], tool_choice: { ...choice, ignored: deep } })).toMatchObject({
      tool_choice: choice,
    });
  });
});
