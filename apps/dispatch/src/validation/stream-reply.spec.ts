import { SseParser } from '../provider-client/sse-parser';
import { GatheredEvents } from '../live-run/gathered-events';
import { asciiJson } from '../testing/generated-reply.for-spec';
import { ChunkWriter } from './chunk-writer';
import { fastestMs } from './fastest.for-spec';
import { InvalidReplyError } from './invalid-reply.error';
import { replyRulesOf } from './reply-rules';
import { maxOutputBytes } from './reply-size';
import { replySchemas } from './reply-schemas.for-spec';
import { ProviderErrorEvent, StreamReply } from './stream-reply';
import type { WholeReply } from './whole-reply';

const identity = { completionId: 'chatcmpl-1', created: 7, model: 'svc/m@1', fingerprint: 'b:p' };
const schemas = replySchemas();

/** Far more than these replies hold. */
const MAX_TOKENS = 1_000;
const tool = (name: string, extra: object = {}) => ({ type: 'function', function: { name, ...extra } });

interface ClientChunk {
  choices: {
    delta: { content?: string; tool_calls?: { id: string }[] };
    finish_reason: string | null;
    logprobs?: object;
  }[];
}

interface Read {
  reply: WholeReply;
  chunks: ClientChunk[];
  text: string;
}

/** Reads a provider's stream given as the chunks' JSON and returns what a client is sent for it. */
async function read(
  upstream: (object | string)[],
  body: object = {},
  usageRequested = false,
  maxTokens = MAX_TOKENS,
): Promise<Read> {
  const events = new GatheredEvents();
  const rules = replyRulesOf(body);
  const writer = new ChunkWriter(identity, usageRequested, events.add);
  const stream = new StreamReply(rules, schemas, rules.holdContent ? undefined : writer, maxTokens);
  for (const chunk of upstream) {
    if (!stream.take(typeof chunk === 'string' ? chunk : JSON.stringify(chunk))) break;
  }
  const reply = await stream.conclude();
  writer.rest(reply);
  const text = events.toString();
  const chunks: ClientChunk[] = [];
  new SseParser((data) => chunks.push(JSON.parse(data) as ClientChunk) > 0, 100_000).push(text);
  return { reply, chunks, text };
}

const delta = (fields: object, finish: string | null = null, extra: object = {}) => ({
  id: 'upstream-id',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'upstream-model',
  choices: [{ index: 0, delta: fields, finish_reason: finish, ...extra }],
});
const end = delta({}, 'stop');
const contentOf = (chunks: ClientChunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
const reasonOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    if (InvalidReplyError.is(error)) return error.reason;
    throw error;
  }
  return 'valid';
};

describe('a streamed reply', () => {
  it('is rebuilt: own id, model and fingerprint, nothing else of the provider', async () => {
    const { chunks, reply, text } = await read([
      delta({ role: 'assistant', content: '' }),
      { ...delta({ content: 'Hel', secret: 1 }), provider_secret: true },
      delta({ content: 'lo' }),
      end,
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
      '[DONE]',
      'never read',
    ]);
    const common = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'svc/m@1' };
    const choice = (fields: object) => [{ index: 0, delta: fields, finish_reason: null }];
    expect(chunks).toEqual([
      { ...common, system_fingerprint: 'b:p', choices: choice({ role: 'assistant', content: 'Hel' }) },
      { ...common, system_fingerprint: 'b:p', choices: choice({ content: 'lo' }) },
    ]);
    expect(text).not.toMatch(/secret|upstream/);
    expect(reply).toMatchObject({
      finishReason: 'stop',
      outputBytes: 5,
      usage: { promptTokens: 5, completionTokens: 2 },
    });
  });

  it('is the same whether its chunks are recognised or parsed', async () => {
    const words = [
      'plain ',
      'é漢🙂 ',
      'a "quote" ',
      'back\\slash ',
      'line\nbreak ',
      '"content":"x" ',
      '\u2028',
      '',
      ' end',
    ];
    const uniform = words.map((content) => delta({ content }));
    const everyOtherDiffers = words.map((content, index) => ({ ...delta({ content }), created: index }));
    const spaced = words.map((content) => JSON.stringify(delta({ content }), null, 1).replaceAll('\n', ' '));
    const escaped = words.map((content) => asciiJson(delta({ content })));
    const expected = await read([...uniform.slice(0, 0), ...everyOtherDiffers, end]);
    for (const upstream of [uniform, spaced, escaped]) {
      const { text, reply } = await read([...upstream, end]);
      expect(text).toBe(expected.text);
      expect(reply.outputBytes).toBe(Buffer.byteLength(words.join('')));
    }
    expect(contentOf(expected.chunks)).toBe(words.join(''));
  });

  it('has no line end of Unicode’s that readers might take for the end of a line', async () => {
    const words = ['a', 'b\u2028c', 'd\\\u2029', '\u0085'];
    const thoughts = delta({ reasoning_content: 'h\u2028m' });
    const tools = { tools: [{ type: 'function', function: { name: 'f' } }] };
    const args = '{"a":"\u2028"}';
    const called = call(0, 'f', args, 'x');
    for (const body of [{}, tools]) {
      const upstream = [thoughts, ...words.map((content) => delta({ content }))];
      const calls = body === tools ? [delta({ tool_calls: [called] })] : [];
      const { text, chunks } = await read([...upstream, ...calls, end], body);
      expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
      expect(contentOf(chunks)).toBe(words.join(''));
      expect(JSON.stringify(chunks)).toContain('"reasoning_content":"h\u2028m"');
      expect(JSON.stringify(chunks).includes(JSON.stringify(args))).toBe(body === tools);
    }
  });

  it('tells what nobody sees of it, in whatever pieces it comes', async () => {
    const blanks = Array.from({ length: 20 }, () => delta({ content: ' ' }));
    const hidden = Array.from({ length: 5 }, () => delta({ content: '\u200b' }));
    const upstream = [delta({ reasoning: 'hm' }), delta({ content: 'a' }), ...blanks, ...hidden, end];
    const { reply, text } = await read(upstream);
    expect(reply).toMatchObject({ outputBytes: 3 + 20 + 15, unseenBytes: 4 + 15 });
    // It is delivered all the same: the reply is the provider's.
    expect(text.match(/\u200b/g)).toHaveLength(5);
    const stream = new StreamReply(replyRulesOf({}), schemas, { delta: () => undefined }, MAX_TOKENS);
    for (const each of upstream) stream.take(JSON.stringify(each));
    expect([stream.outputBytes, stream.passedOnBytes, stream.heldBytes]).toEqual([38, 19, 0]);
  });

  it('does not mistake a text that occurs elsewhere for the content', async () => {
    const tricky = (content: string) => ({ note: { content }, ...delta({ content }) });
    const { chunks } = await read([tricky('same'), tricky('same'), tricky('other'), end]);
    expect(contentOf(chunks)).toBe('samesameother');
    const beside = { note: { content: 'else' }, ...delta({ content: 'same' }) };
    expect(contentOf((await read([tricky('same'), beside, end])).chunks)).toBe('samesame');
  });

  it('does not take a chunk that ends otherwise for one with another text', async () => {
    const bare = (content: string, end: object = {}) => ({ choices: [{ delta: { content }, ...end }] });
    const none = { finish_reason: null };
    const long = 'longer than all that others end with';
    const { chunks, reply } = await read([
      bare('a', none),
      bare(long),
      bare('b', none),
      bare('c', { finish_reason: 'stop' }),
    ]);
    expect(contentOf(chunks)).toBe(`a${long}bc`);
    expect(reply.finishReason).toBe('stop');
  });

  it.each([
    ['another choice', JSON.stringify(delta({ content: 'b' })).replace('"index":0', '"index":1'), 'shape'],
    ['a control character', JSON.stringify(delta({ content: 'b_' })).replace('_', '\u0001'), 'not_json'],
  ])('does not take a chunk with %s for one with another text', async (_, chunk, reason) => {
    expect(await reasonOf(() => read([delta({ content: 'a' }), chunk, end]))).toBe(reason);
  });

  it('holds the role until there is something to say', () => {
    const stream = new StreamReply(
      replyRulesOf({}),
      schemas,
      { delta: () => expect('sent').toBe('held') },
      MAX_TOKENS,
    );
    stream.take(JSON.stringify(delta({ role: 'assistant', content: '' })));
    stream.take(JSON.stringify(delta({ content: null })));
    expect(stream.outputBytes).toBe(0);
  });

  it('passes reasoning and refusals on, log probabilities never: nobody may ask for them', async () => {
    const logprobs = { content: [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] }] };
    const { chunks, reply } = await read([
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'a' }, null, { logprobs }),
      delta({ refusal: 'no' }),
      end,
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', reasoning_content: 'hm' },
      { content: 'a' },
      { refusal: 'no' },
    ]);
    expect(JSON.stringify(chunks)).not.toContain('logprob');
    // That it refused is known at the end, and nothing is left of it.
    expect(reply).toMatchObject({ content: null, refusal: '', reasoning: undefined });
  });

  it.each(['reasoning', 'reasoning_content'])(
    'takes %s for reasoning, as output and as a first word',
    async (field) => {
      const stream = new StreamReply(replyRulesOf({}), schemas, undefined, MAX_TOKENS);
      stream.take(JSON.stringify(delta({ [field]: 'hm' })));
      expect(stream.outputBytes).toBe(2);
      const thoughts = ['so ', 'it ', 'is'].map((text) => delta({ content: null, [field]: text }));
      const words = ['a', 'b', 'c'].map((content) => delta({ content, [field]: '' }));
      const { chunks, reply } = await read([...thoughts, ...words, end]);
      expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
        { role: 'assistant', reasoning_content: 'so ' },
        { reasoning_content: 'it ' },
        { reasoning_content: 'is' },
        { content: 'a' },
        { content: 'b' },
        { content: 'c' },
      ]);
      expect(reply).toMatchObject({ outputBytes: 11, reasoningField: field });
    },
  );

  it('takes the texts and the thoughts of content that comes in parts', async () => {
    const text = (words: string) => ({ type: 'text', text: words });
    const thoughts = ['so ', 'it ', 'is'].map((words) =>
      delta({ content: [{ type: 'thinking', thinking: [text(words)] }] }),
    );
    const { chunks, reply } = await read([
      ...thoughts,
      delta({ content: [{ type: 'thinking', thinking: [text('!')] }, text('type')] }),
      delta({ content: [text('type')] }),
      ...['b', 'c'].map((content) => delta({ content })),
      end,
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', reasoning_content: 'so ' },
      { reasoning_content: 'it ' },
      { reasoning_content: 'is' },
      { reasoning_content: '!' },
      { content: 'type' },
      { content: 'type' },
      { content: 'b' },
      { content: 'c' },
    ]);
    expect(reply.outputBytes).toBe(19);
    expect(await reasonOf(() => read([delta({ content: [{ type: 'image_url' }] }), end]))).toBe('shape');
  });

  it.each([
    ['reasoning', { reasoning: 'hm' }, '"reasoning_content":"hm"'],
    ['reasoning under its other name', { reasoning_content: 'hm' }, '"reasoning_content":"hm"'],
    ['a refusal', { refusal: 'hm' }, '"refusal":"hm"'],
    ['a call', { tool_calls: [call(0, 'time', '{}', null)] }, '"name":"time"'],
  ])('does not lose %s between texts that are recognised', async (_, beside, said) => {
    const upstream = [delta({ content: 'b', ...beside }), delta({ content: 'c', ...beside }), end];
    const { text } = await read([delta({ content: 'a' }), ...upstream], { tools: [tool('time')] });
    expect(text.split(said)).toHaveLength(3);
  });

  it('puts usage null on every chunk when usage was asked for', async () => {
    expect((await read([delta({ content: 'a' }), end], {}, true)).chunks).toEqual([
      expect.objectContaining({ usage: null }),
    ]);
  });

  it('takes a reply without [DONE], usage, or any text', async () => {
    expect((await read([delta({ content: 'a' }), end])).reply.usage).toBeUndefined();
    expect((await read([end])).reply).toMatchObject({ finishReason: 'stop', outputBytes: 0 });
  });

  it.each<[string, (object | string)[], string]>([
    ['garbage', ['<html>'], 'not_json'],
    ['no object', ['[1]'], 'shape'],
    ['no choices', [{ id: 'x' }], 'shape'],
    [
      'two choices',
      [
        {
          choices: [
            { index: 0, delta: {} },
            { index: 1, delta: {} },
          ],
        },
      ],
      'shape',
    ],
    ['another index', [{ choices: [{ index: 1, delta: { content: 'a' } }] }], 'shape'],
    ['a foreign role', [delta({ role: 'user', content: 'a' })], 'shape'],
    ['content that is no text', [delta({ content: 7 })], 'shape'],
    ['a delta that is no object', [{ choices: [{ index: 0, delta: 'a' }] }], 'shape'],
    ['the legacy function call', [delta({ function_call: { name: 'f', arguments: '{}' } })], 'call_shape'],
    ['the legacy finish reason', [delta({ content: 'a' }), delta({}, 'function_call')], 'finish_reason'],
    ['an unknown finish reason', [delta({ content: 'a' }, 'abort')], 'finish_reason'],
    ['a finish reason that is no text', [{ choices: [{ delta: {}, finish_reason: 7 }] }], 'shape'],
    ['an end without finish reason', [delta({ content: 'a' }), '[DONE]'], 'no_finish_reason'],
    ['another end after the end', [delta({ content: 'a' }), end, delta({}, 'length')], 'shape'],
    ['a cut that was none', [delta({ content: 'a' }), delta({}, 'length'), end], 'shape'],
    ['a filter after the end', [delta({ content: 'a' }), end, delta({}, 'content_filter')], 'shape'],
    ['half a character', [String.raw`{"choices":[{"delta":{"content":"a\ud83d"}}]}`, end], 'not_utf8'],
    [
      'half a character that something else follows',
      [String.raw`{"choices":[{"delta":{"content":"a\ud83d"}}]}`, delta({ content: 'b' }), end],
      'not_utf8',
    ],
    [
      'half a character with a text that is recognised in its middle',
      [
        String.raw`{"choices":[{"delta":{"content":"a"}}]}`,
        String.raw`{"choices":[{"delta":{"content":"\ud83d"}}]}`,
        String.raw`{"choices":[{"delta":{"content":"b"}}]}`,
        String.raw`{"choices":[{"delta":{"content":"\ude00"}}]}`,
        end,
      ],
      'not_utf8',
    ],
    ['the other half', [String.raw`{"choices":[{"delta":{"content":"\ude00"}}]}`, end], 'not_utf8'],
    ['text after the end', [delta({ content: 'a' }), end, delta({ content: 'b' })], 'shape'],
    [
      'more text than max_tokens can be',
      [delta({ content: 'x'.repeat(maxOutputBytes(MAX_TOKENS) + 1) }), end],
      'too_large',
    ],
    [
      'calls nobody offered',
      [delta({ tool_calls: [call(0, 'f', '{}')] }), delta({}, 'tool_calls')],
      'tool_call',
    ],
    ['finish reason tool_calls without calls', [delta({ content: 'a' }, 'tool_calls')], 'tool_call'],
    ['the same before stop', [delta({ content: 'a' }, 'tool_calls'), end], 'tool_call'],
    ['the same after stop', [delta({ content: 'a' }), end, delta({}, 'tool_calls')], 'tool_call'],
  ])('is refused for %s', async (_, upstream, reason) => {
    expect(await reasonOf(() => read(upstream))).toBe(reason);
  });

  it('may write its last word with spaces, and events that hold nothing', async () => {
    for (const data of ['[DONE] ', ' [DONE]']) {
      expect(
        (await read([delta({ content: 'a' }), '', end, ' ', data, 'never read'])).reply.finishReason,
      ).toBe('stop');
    }
  });

  it.each([
    ['content_filter: PROHIBITED_CONTENT', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['model_length', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop'],
    ['eos_token', 'stop'],
    ['eos', 'stop'],
  ])('may end with %s, which is %s', async (said, finishReason) => {
    expect((await read([delta({ content: 'a' }), delta({}, said)])).reply.finishReason).toBe(finishReason);
  });

  it.each([
    ['pings, as Anthropic’s for OpenAI’s clients', '{"type": "ping"}'],
    ['null', 'null'],
  ])('may hold %s, which are no sign of life', async (_, data) => {
    const stream = new StreamReply(replyRulesOf({}), schemas, undefined, MAX_TOKENS);
    expect([stream.take(data), stream.outputBytes]).toEqual([true, 0]);
    expect(contentOf((await read([data, delta({ content: 'a' }), data, end, data])).chunks)).toBe('a');
    expect(await reasonOf(() => read([data]))).toBe('no_finish_reason');
  });

  it('may say end_turn on any chunk, as xAI’s may: an end where [DONE] follows and no other was said', async () => {
    const turn = (content: string) => delta({ content }, 'end_turn');
    const { chunks, reply } = await read([turn('a'), turn('b'), '[DONE]']);
    expect([contentOf(chunks), reply.finishReason]).toEqual(['ab', 'stop']);
    expect((await read([turn('a'), delta({ content: 'b' }, 'length'), '[DONE]'])).reply.finishReason).toBe(
      'length',
    );
    expect(await reasonOf(() => read([turn('a'), turn('b')]))).toBe('no_finish_reason');
  });

  it.each([null, []])('calls nobody where its calls are %j', async (tool_calls) => {
    const { chunks, reply } = await read([delta({ content: 'a', tool_calls }), end], { tools: [tool('f')] });
    expect([contentOf(chunks), reply.toolCalls, reply.finishReason]).toEqual(['a', [], 'stop']);
  });

  it.each([undefined, null])('may say its end without a delta (%s)', async (none) => {
    const bare = { choices: [{ index: 0, delta: none, finish_reason: 'stop' }] };
    expect((await read([delta({ content: 'a' }), bare])).reply).toMatchObject({
      finishReason: 'stop',
      outputBytes: 1,
    });
  });

  it('may have null for its role, and for what servers still know of the legacy call', async () => {
    const nothing = { role: null, refusal: null, function_call: null, tool_calls: null };
    expect((await read([delta({ content: 'a', ...nothing }), end])).reply.outputBytes).toBe(1);
  });

  it('may have an empty finish reason, or null for an error, on each of its chunks', async () => {
    const word = (content: string, finish = '') => ({ ...delta({ content }, finish), error: null });
    const { chunks, reply } = await read([word('a'), word('b'), word('', 'stop')]);
    expect([contentOf(chunks), reply.finishReason]).toEqual(['ab', 'stop']);
  });

  it('may say its end twice', async () => {
    expect((await read([delta({ content: 'a' }, 'stop'), end, '[DONE]'])).reply.finishReason).toBe('stop');
  });

  it.each([true, false])(
    'has characters whole whose halves came in two chunks (held: %s)',
    async (isHeld) => {
      const half = (text: string) => `{"choices":[{"index":0,"delta":{"content":"${text}"}}]}`;
      const upstream = [
        half('a'),
        half('b'),
        half('\\ud83d'),
        half('\\ude00c\\ud83d'),
        half('\\ude00d'),
        end,
      ];
      const named = { tools: [tool('f')], tool_choice: 'none', response_format: { type: 'json_object' } };
      const quoted = [half('\\"'), ...upstream.slice(0, -1), half('\\"'), end];
      const { chunks, text } = isHeld
        ? await read([half('{\\"x\\":'), ...quoted.slice(0, -1), half('}'), end], named)
        : await read(upstream);
      expect(contentOf(chunks)).toBe(isHeld ? '{"x":"ab😀c😀d"}' : 'ab😀c😀d');
      expect(text).not.toContain('\\ud83d');
      // While half of one is there, nothing is.
      expect(text).not.toContain('"content":""');
    },
  );

  it('tells an error event from an invalid reply', async () => {
    await expect(read([{ error: { message: 'CUDA out of memory' } }])).rejects.toThrow(ProviderErrorEvent);
  });

  it('may state its usage in the choice', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
    const said = { promptTokens: 9, completionTokens: 1 };
    const inChoice = delta({}, 'stop', { usage });
    expect((await read([delta({ content: 'a' }), inChoice])).reply.usage).toEqual(said);
    const other = { choices: [], usage: { prompt_tokens: 8, completion_tokens: 2 } };
    expect((await read([other, delta({ content: 'a' }), inChoice])).reply.usage).toEqual({
      promptTokens: 8,
      completionTokens: 2,
    });
  });

  it('may state its usage as it grows, and the last of it without choices', async () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 9, completion_tokens } });
    const growing = [1, 2].map((tokens) => ({ ...delta({ content: 'a' }), ...usage(tokens) }));
    expect((await read([...growing, end])).reply.usage?.completionTokens).toBe(2);
    expect((await read([...growing, end, usage(3)])).reply.usage?.completionTokens).toBe(3);
  });

  it('counts for itself where usage is nonsense', async () => {
    for (const usage of [
      { prompt_tokens: -1, completion_tokens: 2 },
      { prompt_tokens: '5', completion_tokens: 1 },
      'x',
      { completion_tokens: 1 },
      { prompt_tokens: 1, completion_tokens: 1.5 },
      { prompt_tokens: 0, completion_tokens: 0 },
    ]) {
      expect((await read([delta({ content: 'a' }), { ...end, usage }])).reply.usage).toBeUndefined();
    }
    const counted = { ...end, usage: { prompt_tokens: 9, completion_tokens: 1 } };
    const silent = { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } };
    const { usage } = (await read([delta({ content: 'a' }), counted, silent])).reply;
    expect(usage).toEqual({ promptTokens: 9, completionTokens: 1 });
  });
});

function call(
  index: number | undefined,
  name: string | undefined,
  args: string,
  id: string | null = 'theirs',
) {
  return { index, id, type: 'function', function: { name, arguments: args } };
}

describe('a whole message in a stream', () => {
  const whole = (message: object, finish = 'stop') => ({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  });

  it('is the reply where nothing was streamed', async () => {
    const { reply, chunks } = await read([whole({ content: 'Hello there' }), '[DONE]']);
    expect(contentOf(chunks)).toBe('Hello there');
    expect(reply).toMatchObject({ outputBytes: 11, usage: { promptTokens: 9, completionTokens: 2 } });
    const called = whole(
      { tool_calls: [{ id: 'a', function: { name: 'time', arguments: '{}' } }] },
      'tool_calls',
    );
    expect((await read([called], { tools: [tool('time')] })).reply.toolCalls).toMatchObject([
      { name: 'time' },
    ]);
  });

  it('is not said again where it was', async () => {
    const { reply, chunks } = await read([
      delta({ content: 'Hello ' }),
      delta({ content: 'there' }),
      whole({ content: 'Hello there' }),
    ]);
    expect(contentOf(chunks)).toBe('Hello there');
    expect(reply).toMatchObject({ finishReason: 'stop', outputBytes: 11 });
  });
});

describe('streamed tool calls', () => {
  const body = { tools: [tool('weather'), tool('time')] };
  const finish = delta({}, 'tool_calls');

  it('are withheld until whole, then sent in one delta each with our own index and id', async () => {
    const { chunks } = await read(
      [
        delta({ role: 'assistant', content: null }),
        delta({ tool_calls: [call(3, 'weather', '')] }),
        delta({ tool_calls: [call(3, undefined, '{"city":', null)] }),
        delta({ tool_calls: [call(5, 'time', '{}')] }),
        delta({ tool_calls: [call(3, undefined, '"Paris"}', null)] }),
        finish,
      ],
      body,
    );
    const sent = chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.[0]);
    expect(sent).toEqual([
      {
        index: 0,
        id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string,
        type: 'function',
        function: { name: 'weather', arguments: '{"city":"Paris"}' },
      },
      {
        index: 1,
        id: expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string,
        type: 'function',
        function: { name: 'time', arguments: '{}' },
      },
    ]);
    expect(sent[0]?.id).not.toBe(sent[1]?.id);
  });

  it('may come without an index, or after text', async () => {
    const { chunks, reply } = await read(
      [
        delta({ content: 'Let me see. ' }),
        delta({ tool_calls: [call(undefined, 'weather', '{', 'a')] }),
        delta({ tool_calls: [call(undefined, undefined, '}', null)] }),
        delta({ tool_calls: [call(undefined, 'time', '{}', 'b')] }),
        delta({}, 'stop'),
      ],
      body,
    );
    expect(chunks).toHaveLength(3);
    expect(reply).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'weather' }, { name: 'time' }],
    });
  });

  it('may come without an index, the first without arguments, or one without an id', async () => {
    const calling = async (...calls: object[]) => {
      const upstream = calls.map((one) => delta({ tool_calls: [one] }));
      return (await read([...upstream, finish], body)).reply.toolCalls.map(({ name }) => name);
    };
    const first = call(undefined, 'time', '', 'a');
    expect(await calling(first, call(undefined, 'weather', '{}', 'b'))).toEqual(['time', 'weather']);
    expect(await calling(call(undefined, 'time', '{}', null))).toEqual(['time']);
  });

  it('come in the order of their indices, each as it was written, of whichever type their server says', async () => {
    const pieces = [
      { ...call(1, 'weather', '{"city":"New '), type: null },
      { ...call(0, 'time', '{}'), type: '' },
      call(1, undefined, 'York"}', null),
    ];
    const { reply } = await read([...pieces.map((piece) => delta({ tool_calls: [piece] })), finish], body);
    expect(reply.toolCalls).toMatchObject([
      { name: 'time', arguments: '{}' },
      { name: 'weather', arguments: '{"city":"New York"}' },
    ]);
  });

  it('are kept here, and no part of what left as it came, with what is beside them', () => {
    const sink = { delta: () => undefined };
    const stream = new StreamReply(replyRulesOf(body), schemas, sink, MAX_TOKENS);
    const beside = { ...call(0, 'time', '{}', 'i'.repeat(300)), extra_content: { google: 'x' } };
    stream.take(JSON.stringify(delta({ content: 'abc', tool_calls: [beside] })));
    const kept = 'time{}'.length + 200 + '{"google":"x"}'.length;
    expect([stream.outputBytes, stream.passedOnBytes, stream.heldBytes]).toEqual([9, 3, kept]);
  });

  it('have what their server put beside them, in whichever piece', async () => {
    const extra_content = { google: { thought_signature: 'x' } };
    const { chunks, reply } = await read(
      [
        delta({ tool_calls: [call(0, 'time', '{')] }),
        delta({ tool_calls: [{ ...call(0, undefined, '}', null), extra_content }] }),
        delta({ tool_calls: [{ index: 0, extra_content: { google: {} } }] }),
        delta({ tool_calls: [call(1, 'time', '{}')] }),
        finish,
      ],
      body,
    );
    const [first, second] = chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.[0]);
    expect(first).toMatchObject({ extra_content });
    expect(second).not.toHaveProperty('extra_content');
    expect(reply.reasoningField).toBe('extra_content');
  });

  it.each<[string, (object | string)[], string]>([
    ['an unknown name', [delta({ tool_calls: [call(0, 'launch', '{}')] })], 'tool_call'],
    ['an empty name', [delta({ tool_calls: [call(0, '', '{}')] })], 'tool_call'],
    ['arguments that are no JSON', [delta({ tool_calls: [call(0, 'time', '{"a":')] })], 'tool_arguments'],
    ['arguments that are no object', [delta({ tool_calls: [call(0, 'time', '[]')] })], 'tool_call'],
    ['arguments that are null', [delta({ tool_calls: [call(0, 'time', 'null')] })], 'tool_call'],
    ['an index out of bounds', [delta({ tool_calls: [call(128, 'time', '{}')] })], 'tool_call'],
    ['a fractional index', [delta({ tool_calls: [call(0.5, 'time', '{}')] })], 'call_shape'],
    ['an index below 0', [delta({ tool_calls: [call(-1, 'time', '{}')] })], 'call_shape'],
    ['no list', [delta({ tool_calls: {} })], 'call_shape'],
    ['pieces that are no objects', [delta({ tool_calls: [call(0, 'time', '{}'), 'x'] })], 'call_shape'],
    [
      'a function that is no object',
      [delta({ tool_calls: [call(0, 'time', '{}'), { index: 0, function: 'x' }] })],
      'call_shape',
    ],
    [
      'two calls under one index',
      [
        delta({ tool_calls: [call(0, 'time', '', 'a')] }),
        delta({ tool_calls: [call(0, 'weather', '{}', 'b')] }),
      ],
      'call_shape',
    ],
    [
      'pieces under the wrong index',
      [
        delta({ tool_calls: [call(0, 'time', '{"a":')] }),
        delta({ tool_calls: [call(1, undefined, '1}', null)] }),
      ],
      'tool_arguments',
    ],
    [
      'a call that comes twice',
      [delta({ tool_calls: [call(0, 'time', '{}'), call(0, 'time', '{}')] })],
      'tool_arguments',
    ],
    [
      'half a character',
      [
        String.raw`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"time","arguments":"{\"a\":\"\ud83d\"}"}}]}}]}`,
      ],
      'not_utf8',
    ],
    ['another type', [delta({ tool_calls: [{ ...call(0, 'time', '{}'), type: 'shell' }] })], 'call_shape'],
  ])('are refused for %s', async (_, upstream, reason) => {
    expect(await reasonOf(() => read([...upstream, finish], body))).toBe(reason);
  });

  describe('without arguments', () => {
    const parameters = (required?: string[]) => ({
      parameters: { type: 'object', properties: { zone: { type: 'string' } }, required },
    });
    const bare = [delta({ tool_calls: [call(0, 'time', '')] }), finish];
    const asking = (extra: object, more: object = {}) => ({ tools: [tool('time', extra)], ...more });

    it.each([
      ['says nothing of parameters', {}],
      ['requires none', parameters()],
      ['is strict and requires none', { ...parameters([]), strict: true }],
    ])('have an empty object where the function %s', async (_, extra) => {
      expect((await read(bare, asking(extra))).reply.toolCalls).toMatchObject([
        { name: 'time', arguments: '{}' },
      ]);
    });

    it('are refused where the function requires some, or a stop sequence may have cut them', async () => {
      expect(await reasonOf(() => read(bare, asking(parameters(['zone']))))).toBe('tool_call');
      expect(await reasonOf(() => read(bare, asking({}, { stop: '\n' })))).toBe('tool_call');
    });

    it('are left out where max_tokens may have cut them', async () => {
      const cut = [delta({ tool_calls: [call(0, 'time', '')] }), delta({}, 'length')];
      expect((await read(cut, asking({}))).reply.toolCalls).toEqual([]);
    });
  });

  it('may have the name with every piece, and an id of its own on each', async () => {
    const { reply } = await read(
      [
        delta({ tool_calls: [call(0, 'time', '', 'a')] }),
        delta({ tool_calls: [call(0, 'time', '{"a":', 'b')] }),
        delta({ tool_calls: [call(0, 'time', '1}', 'c')] }),
        finish,
      ],
      body,
    );
    expect(reply.toolCalls).toMatchObject([{ providerId: 'a', name: 'time', arguments: '{"a":1}' }]);
    // The model wrote the name once.
    expect(reply.outputBytes).toBe('time{"a":1}'.length);
  });

  it('may have an id of its own on each piece, and the name on the first', async () => {
    const pieces = [call(0, 'time', '', 'a'), call(0, undefined, '{}', 'b'), call(0, undefined, '', 'c')];
    const { reply } = await read([...pieces.map((piece) => delta({ tool_calls: [piece] })), finish], body);
    expect(reply.toolCalls).toMatchObject([{ providerId: 'a', name: 'time', arguments: '{}' }]);
  });

  it('may have the name in pieces, and the id on each of them', async () => {
    const pieces = [call(0, 'ti', '', 'a'), call(0, 'me', '{}', 'a')];
    const { reply } = await read([...pieces.map((piece) => delta({ tool_calls: [piece] })), finish], body);
    expect(reply.toolCalls).toMatchObject([{ providerId: 'a', name: 'time', arguments: '{}' }]);
  });

  it.each([
    ['ids of their own', ['a', 'b', 'c']],
    ['no ids', [null, null, null]],
  ])('may all be under one index, each whole in one piece, with %s', async (_, [first, second, third]) => {
    const { reply } = await read(
      [
        delta({ tool_calls: [call(0, 'time', '{"zone":"UTC"}', first)] }),
        delta({ tool_calls: [call(0, 'weather', '{"city":"Rome"}', second)] }),
        delta({ tool_calls: [call(0, 'weather', '{"city":"Oslo"}', third)] }),
        finish,
      ],
      body,
    );
    expect(reply.toolCalls).toMatchObject([
      { name: 'time', arguments: '{"zone":"UTC"}' },
      { name: 'weather', arguments: '{"city":"Rome"}' },
      { name: 'weather', arguments: '{"city":"Oslo"}' },
    ]);
    const many = Array.from({ length: 129 }, (_, at) => call(0, 'time', '{}', `id-${at}`));
    expect(await reasonOf(() => read([delta({ tool_calls: many.slice(1) }), finish], body))).toBe('valid');
    expect(await reasonOf(() => read([delta({ tool_calls: many }), finish], body))).toBe('tool_call');
  });

  describe('under one index', () => {
    const begin = (name: string, id: string, args = '') => delta({ tool_calls: [call(0, name, args, id)] });
    const more = (args: string, id: string | null = null) =>
      delta({ tool_calls: [call(0, undefined, args, id)] });
    const read2 = async (...upstream: object[]) =>
      (await read([...upstream, finish], body)).reply.toolCalls.map(
        ({ providerId, name, arguments: args }) => [providerId, name, args],
      );

    it.each([
      ['SGLang’s: ids on the first piece', null, null],
      ['older ones of SGLang: ids on each', 'a', 'b'],
      ['older ones of vLLM: empty ids on the others', '', ''],
    ])('are several where each begins when the one before is whole (%s)', async (_, first, second) => {
      expect(
        await read2(
          begin('weather', 'a'),
          more('{"city":', first),
          more('"Rome"}', first),
          more(''),
          begin('weather', 'b'),
          more('{"city":', second),
          more('"Oslo"}', second),
          begin('time', 'c', '{'),
          more('}'),
        ),
      ).toEqual([
        ['a', 'weather', '{"city":"Rome"}'],
        ['b', 'weather', '{"city":"Oslo"}'],
        ['c', 'time', '{}'],
      ]);
    });

    it('are refused where the one before is not whole, and one where each piece repeats the name', async () => {
      const broken = (name: string) => () =>
        read2(begin('weather', 'a'), more('{"city":'), begin(name, 'b'), more('"Rome"}'), more('{}'));
      expect(await reasonOf(broken('time'))).toBe('call_shape');
      expect(await reasonOf(broken('weather'))).toBe('tool_arguments');
      expect(
        await read2(
          begin('time', 'a'),
          begin('time', 'b', '{"a":1}'),
          begin('time', 'c'),
          begin('time', 'd'),
        ),
      ).toEqual([['a', 'time', '{"a":1}']]);
    });

    it.each([
      ['with its id', [begin('time', 'a'), more('{}'), begin('time', 'a')]],
      ['without its id', [begin('time', 'a'), more('{}'), begin('time', '')]],
      ['with the id that it had not yet', [begin('time', ''), more('{}'), begin('time', 'a')]],
      ['with another id', [begin('time', 'a', '{}'), more(''), begin('time', 'b')]],
      ['with another id, and a blank', [begin('time', 'a', '{}'), begin('time', 'b', ' ')]],
      [
        'with the last of several ids',
        [begin('time', 'a'), more('{'), begin('time', 'b'), more('}'), begin('time', 'c')],
      ],
    ])('are one whose name comes again when it is whole, %s', async (_, upstream) => {
      expect(await read2(...upstream)).toMatchObject([['a', 'time', expect.stringMatching(/^\{\} ?$/)]]);
    });

    it('are several whole ones without ids, the first of which was named before', async () => {
      expect(await read2(begin('weather', ''), begin('weather', '', '{}'), begin('time', '', '{}'))).toEqual([
        ['', 'weather', '{}'],
        ['', 'time', '{}'],
      ]);
    });
  });

  describe('that max_tokens cut off where the server says tool_calls all the same, as vLLM’s does', () => {
    const cut = (completion_tokens: number, args = '{"ci', ending = 'tool_calls') => [
      delta({ tool_calls: [call(0, 'time', '{}')] }),
      delta({ tool_calls: [call(1, 'weather', args)] }),
      delta({}, ending),
      { choices: [], usage: { prompt_tokens: 9, completion_tokens } },
    ];

    it('are left out, and the reply says length', async () => {
      for (const ending of ['tool_calls', 'stop']) {
        const { reply } = await read(cut(16, '{"ci', ending), body, false, 16);
        expect(reply).toMatchObject({ finishReason: 'length', toolCalls: [{ name: 'time' }] });
      }
      const required = { ...body, tool_choice: 'required' };
      const only = [delta({ tool_calls: [call(0, 'weather', '{"ci')] }), ...cut(16).slice(2)];
      expect((await read(only, required, false, 16)).reply).toMatchObject({
        finishReason: 'length',
        toolCalls: [],
      });
    });

    it('are calls where they are whole', async () => {
      const { reply } = await read(cut(16, '{"city":"Rome"}'), body, false, 16);
      expect(reply).toMatchObject({
        finishReason: 'tool_calls',
        toolCalls: [{ name: 'time' }, { name: 'weather' }],
      });
    });

    it('are broken where tokens were left, or another call came after them', async () => {
      expect(await reasonOf(() => read(cut(15), body, false, 16))).toBe('tool_arguments');
      const first = [delta({ tool_calls: [call(0, 'time', '{')] }), ...cut(16, '{"city":"Rome"}').slice(1)];
      expect(await reasonOf(() => read(first, body, false, 16))).toBe('tool_arguments');
      expect(await reasonOf(() => read(cut(16, '[1]'), body, false, 16))).toBe('tool_call');
    });

    it('are cut by a filter that says so', async () => {
      const { reply } = await read(cut(16, '{"ci', 'content_filter'), body, false, 16);
      expect(reply).toMatchObject({ finishReason: 'content_filter', lack: 'filtered' });
    });

    it('make no cut where they are not wanted, and one where the only one is', async () => {
      const sole = { ...body, parallel_tool_calls: false };
      expect((await read(cut(16), sole, false, 16)).reply.finishReason).toBe('tool_calls');
      expect((await read(cut(16).slice(1), sole, false, 16)).reply.finishReason).toBe('length');
    });
  });

  it('may have the document itself for arguments', async () => {
    const piece = { index: 0, id: 'a', function: { name: 'weather', arguments: { city: 'Rome', days: 2 } } };
    const { reply } = await read([delta({ tool_calls: [piece] }), finish], body);
    expect(reply.toolCalls).toMatchObject([{ name: 'weather', arguments: '{"city":"Rome","days":2}' }]);
    expect(reply.outputBytes).toBe('weather{"city":"Rome","days":2}'.length);
  });

  it('may end with tool_call, as mlx-lm’s server does', async () => {
    const one = delta({ tool_calls: [call(0, 'time', '{}')] });
    expect((await read([one, delta({}, 'tool_call')], body)).reply.finishReason).toBe('tool_calls');
  });

  it('are calls whatever end is said beside them', async () => {
    const one = delta({ tool_calls: [call(0, 'time', '{}')] });
    expect((await read([one, finish, end], body)).reply.finishReason).toBe('tool_calls');
    expect((await read([one, end, finish], body)).reply.finishReason).toBe('tool_calls');
    expect(await reasonOf(() => read([one, finish, delta({}, 'length')], body))).toBe('shape');
  });

  it('of a megabyte are read in time that grows with their length alone', async () => {
    const pieces = Array.from({ length: 20_000 }, () =>
      delta({ tool_calls: [call(0, undefined, 'x'.repeat(50), null)] }),
    );
    const rules = replyRulesOf(body);
    const upstream = [
      delta({ tool_calls: [call(0, 'time', '{"a":"')] }),
      ...pieces,
      delta({ tool_calls: [call(0, undefined, '"}', null)] }),
      finish,
    ].map((chunk) => JSON.stringify(chunk));
    const readAll = async () => {
      const stream = new StreamReply(rules, schemas, undefined, 20_000);
      for (const chunk of upstream) stream.take(chunk);
      expect((await stream.conclude()).toolCalls[0]?.arguments).toHaveLength(1_000_008);
    };
    expect(await fastestMs(readAll)).toBeLessThan(2_000);
  });

  it('leave out a last call that max_tokens cut off', async () => {
    const { reply } = await read(
      [delta({ tool_calls: [call(0, 'time', '{}'), call(1, 'weather', '{"ci')] }), delta({}, 'length')],
      body,
    );
    expect(reply).toMatchObject({ finishReason: 'length', toolCalls: [{ name: 'time' }] });
  });

  it('keep to tool_choice and parallel_tool_calls', async () => {
    const one = [delta({ tool_calls: [call(0, 'time', '{}')] }), finish];
    const two = [delta({ tool_calls: [call(0, 'time', '{}'), call(1, 'weather', '{}')] }), finish];
    const named = { ...body, tool_choice: { type: 'function', function: { name: 'time' } } };
    expect(await reasonOf(() => read(one, named))).toBe('valid');
    expect(await reasonOf(() => read(two, named))).toBe('tool_call');
    expect(await reasonOf(() => read(one, { ...body, tool_choice: 'none' }))).toBe('tool_call');
    const words = [delta({ content: 'no' }), end];
    expect(await reasonOf(() => read(words, { ...body, tool_choice: 'required' }))).toBe('tool_choice');
    expect(await reasonOf(() => read(words, named))).toBe('tool_choice');
    expect(await reasonOf(() => read(words, body))).toBe('valid');
  });

  it('are one where one at most is wanted: the first, whatever the server says after it', async () => {
    const sole = { ...body, parallel_tool_calls: false };
    for (const second of [call(1, 'weather', '{}'), call(1, 'launch', '{'), call(1, 'weather', '{"ci')]) {
      for (const ending of ['tool_calls', 'stop', 'length']) {
        const upstream = [delta({ tool_calls: [call(0, 'time', '{}'), second] }), delta({}, ending)];
        const { reply } = await read(upstream, sole);
        expect(reply.toolCalls).toMatchObject([{ name: 'time', arguments: '{}' }]);
        expect(reply.outputBytes - reply.unwantedBytes).toBe('time{}'.length);
      }
    }
    const broken = [
      delta({ tool_calls: [call(0, 'time', '{'), call(1, 'time', '{}')] }),
      delta({}, 'length'),
    ];
    expect(await reasonOf(() => read(broken, sole))).toBe('tool_arguments');
  });

  it('meet the schema of a strict function', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const strict = { tools: [tool('weather', { parameters, strict: true })] };
    const lax = { tools: [tool('weather', { parameters })] };
    const wrong = [delta({ tool_calls: [call(0, 'weather', '{}')] }), finish];
    expect(await reasonOf(() => read(wrong, strict))).toBe('tool_call');
    expect(await reasonOf(() => read(wrong, lax))).toBe('valid');
  });
});

describe('structured output in a stream', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
  const body = { response_format: { type: 'json_schema', json_schema: { name: 'p', schema } } };

  it('is held until it is valid, then delivered', async () => {
    const { chunks, text } = await read(
      [delta({ content: '{"age"' }), delta({ content: ':36}' }), end],
      body,
    );
    expect(chunks).toHaveLength(1);
    expect(contentOf(chunks)).toBe('{"age":36}');
    expect(text).toContain('"role":"assistant"');
  });

  it('comes after what the model thought, which is held with it', async () => {
    const { text } = await read(
      [delta({ reasoning_content: 'hm' }), delta({ content: '{"age":36}' }), end],
      body,
    );
    expect(text).toMatch(/"reasoning_content":"hm"[^]*"content":"{/);
  });

  it.each([
    [body, '{"age":"36"}', 'structured_output'],
    [body, '{"age":36', 'structured_output'],
    [body, '```json\n{"age":36}\n```', 'structured_output'],
    [{ response_format: { type: 'json_object' } }, '{"age":"36"}', 'valid'],
    [{ response_format: { type: 'json_object' } }, '[1]', 'structured_output'],
    [{ response_format: { type: 'json_object' } }, 'hello', 'structured_output'],
    [{ response_format: { type: 'text' } }, 'hello', 'valid'],
    // Without a schema it is any JSON.
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x' } } }, '[1]', 'valid'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x' } } }, 'hello', 'structured_output'],
    // What the client's own stop sequence may have cut.
    [{ ...body, stop: '}' }, '{"age":36', 'valid'],
    [{ ...body, stop: '}' }, '\n{"age":36', 'valid'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x' } }, stop: ']' }, '[1', 'valid'],
    [{ ...body, stop: ['{'] }, '', 'valid'],
    [{ ...body, stop: '}' }, '{"age":"36"}', 'structured_output'],
    [{ ...body, stop: '}' }, 'Ada is 36', 'structured_output'],
  ])('%j judges %s: %s', async (format, content, verdict) => {
    expect(await reasonOf(() => read([delta({ content }), end], format))).toBe(verdict);
  });

  it('may be refused, which makes no other content good', async () => {
    const refusing = (content: string) => [
      delta({ content }),
      delta({ refusal: 'I would rather not.' }),
      end,
    ];
    const { reply, text } = await read(refusing(''), body);
    expect(reply).toMatchObject({ content: null, refusal: 'I would rather not.', reasoning: undefined });
    expect(text).toContain('"refusal":"I would rather not."');
    expect(await reasonOf(() => read([delta({ content: 'Ada is 36', refusal: '' }), end], body))).toBe(
      'structured_output',
    );
    expect(await reasonOf(() => read(refusing('\n'), body))).toBe('valid');
    expect(await reasonOf(() => read(refusing('{"age":36}'), body))).toBe('valid');
    expect(await reasonOf(() => read(refusing('Ada is 36'), body))).toBe('structured_output');
  });

  it('is delivered as it is when max_tokens cut it off', async () => {
    expect(contentOf((await read([delta({ content: '{"age":' }), delta({}, 'length')], body)).chunks)).toBe(
      '{"age":',
    );
  });
});
