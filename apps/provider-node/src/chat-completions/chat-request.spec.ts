import type { JsonObject } from '../engine/engine-request';
import { readChatRequest } from './chat-request';
import { OpenAiError } from './openai-error';

const hello = { model: 'demo', messages: [{ role: 'user', content: 'Hello' }] };
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];

function refusedParam(body: JsonObject): string | undefined {
  try {
    readChatRequest(body);
  } catch (error) {
    if (error instanceof OpenAiError && error.fields.status === 400) return error.fields.param;
    throw error;
  }
  throw new Error('not refused');
}

describe('readChatRequest', () => {
  it('fills in what is left out', () => {
    expect(readChatRequest(hello)).toEqual({
      engine: {
        model: 'demo',
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [],
        toolChoice: 'auto',
        parallelToolCalls: true,
        responseFormat: { type: 'text' },
        maxTokens: undefined,
        stop: [],
        sampling: {},
      },
      stream: false,
      includeUsage: false,
    });
  });

  it('counts null as left out', () => {
    const nulls = Object.fromEntries(
      [
        'tools',
        'tool_choice',
        'stop',
        'max_tokens',
        'n',
        'stream',
        'stream_options',
        'seed',
        'response_format',
      ].map((field) => [field, null]),
    );
    expect(readChatRequest({ ...hello, ...nulls })).toEqual(readChatRequest(hello));
  });

  it('reads every form of what it knows and ignores the rest', () => {
    const { engine, stream, includeUsage } = readChatRequest({
      ...hello,
      messages: [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be ' },
            { type: 'text', text: 'brief.' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '4' },
      ],
      tools,
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
      stop: 'END',
      max_completion_tokens: 5,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true },
      user: 'somebody',
      invented: { a: 1 },
    });
    expect(engine).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
        { role: 'tool', content: '4', toolCallId: 'call_1' },
      ],
      tools: [{ name: 'look', parameters: { type: 'object' } }],
      toolChoice: { name: 'look' },
      parallelToolCalls: false,
      responseFormat: { type: 'json_schema', schema: { type: 'object' } },
      stop: ['END'],
      maxTokens: 5,
      sampling: { seed: 7 },
    });
    expect([stream, includeUsage]).toEqual([true, true]);
  });

  it.each<[string, JsonObject]>([
    ['messages', { messages: [] }],
    ['messages', { messages: 'Hello' }],
    ['messages[0]', { messages: ['Hello'] }],
    ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tool_choice', { tools, tool_choice: 'perhaps' }],
    ['tool_choice.function.name', { tools, tool_choice: { type: 'function', function: { name: 'other' } } }],
    ['response_format.type', { response_format: { type: 'xml' } }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['stop[0]', { stop: [1] }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_completion_tokens', { max_completion_tokens: '5' }],
    ['n', { n: 2 }],
    ['stream', { stream: 'yes' }],
    ['stream_options', { stream: true, stream_options: true }],
    ['tool_choice.type', { tools, tool_choice: { type: 'custom' } }],
    ['tools[1].type', { tools: [...tools, { type: 'custom', custom: { name: 'look' } }] }],
    ['temperature', { temperature: 3 }],
  ])('names %s', (param, fields) => {
    expect(refusedParam({ ...hello, ...fields })).toBe(param);
  });
});
