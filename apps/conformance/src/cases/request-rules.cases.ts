import { gzipSync } from 'node:zlib';
import { mustRefuse } from '../shape/refusal';
import type { Refusal } from '../shape/refusal';
import { ensure, equal, must, textLike } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';

const user = (content: unknown) => ({ role: 'user', content });
const hello = user('Hello');
const tool = (name: string, fields: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' }, ...fields },
});
const messages = (...list: unknown[]) => ({ messages: list });
const deep = '['.repeat(20_000) + ']'.repeat(20_000);

/** What is wrong with a request, its fields, the field that the refusal names. */
const MALFORMED: readonly [string, object, string][] = [
  ['model missing', { model: undefined }, 'model'],
  ['model of a wrong type', { model: 7 }, 'model'],
  ['messages missing', { messages: undefined }, 'messages'],
  ['messages empty', messages(), 'messages'],
  ['messages of a wrong type', { messages: 'Hello' }, 'messages'],
  ['a message that is no object', messages('Hello'), 'messages[0]'],
  ['a message without a role', messages({ content: 'Hello' }), 'messages[0].role'],
  ['a role that there is not', messages({ role: 'robot', content: 'Hello' }), 'messages[0].role'],
  ['content missing', messages({ role: 'user' }), 'messages[0].content'],
  ['content null on a user message', messages(user(null)), 'messages[0].content'],
  [
    'content null on an assistant message without calls',
    messages(hello, { role: 'assistant', content: null }),
    'messages[1].content',
  ],
  ['content of a wrong type', messages(hello, user(7)), 'messages[1].content'],
  ['content without parts', messages(user([])), 'messages[0].content'],
  ['a text part without text', messages(user([{ type: 'text' }])), 'messages[0].content[0].text'],
  ['a part without a type', messages(user([{ text: 'Hello' }])), 'messages[0].content[0].type'],
  ['name of a wrong type', messages({ ...hello, name: 7 }), 'messages[0].name'],
  [
    'a tool message without tool_call_id',
    messages(hello, { role: 'tool', content: '21' }),
    'messages[1].tool_call_id',
  ],
  [
    'a called function without a name',
    messages(hello, {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { arguments: '{}' } }],
    }),
    'messages[1].tool_calls[0].function.name',
  ],
  ...['{"city":', '["Oslo"]', '"Oslo"'].map((text): [string, object, string] => [
    `arguments of an earlier call that are no JSON object: ${text}`,
    messages({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'a', arguments: text } }],
    }),
    'messages[0].tool_calls[0].function.arguments',
  ]),
  ['stream of a wrong type', { stream: 'yes' }, 'stream'],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options'],
  [
    'include_usage of a wrong type',
    { stream: true, stream_options: { include_usage: 'yes' } },
    'stream_options.include_usage',
  ],
  ['max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
  ['max_tokens below 0', { max_tokens: -1 }, 'max_tokens'],
  ['max_tokens with a fraction', { max_tokens: 1.5 }, 'max_tokens'],
  ['max_tokens as text', { max_tokens: '5' }, 'max_tokens'],
  ['max_completion_tokens 0', { max_completion_tokens: 0 }, 'max_completion_tokens'],
  [
    'max_tokens unlike max_completion_tokens',
    { max_tokens: 5, max_completion_tokens: 6 },
    'max_completion_tokens',
  ],
  ['temperature below 0', { temperature: -0.1 }, 'temperature'],
  ['temperature above 2', { temperature: 2.1 }, 'temperature'],
  ['temperature as text', { temperature: 'hot' }, 'temperature'],
  ['top_p above 1', { top_p: 1.1 }, 'top_p'],
  ['top_p below 0', { top_p: -0.1 }, 'top_p'],
  ['stop of a wrong type', { stop: 7 }, 'stop'],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ['n 0', { n: 0 }, 'n'],
  ['seed with a fraction', { seed: 1.5 }, 'seed'],
  ['seed as text', { seed: '5' }, 'seed'],
  ['user of a wrong type', { user: 7 }, 'user'],
  ['metadata of a wrong type', { metadata: 'trace' }, 'metadata'],
  ['metadata with a value that is no text', { metadata: { trace: 7 } }, 'metadata.trace'],
  ['logit_bias of a wrong type', { logit_bias: [1] }, 'logit_bias'],
  ['tools of a wrong type', { tools: {} }, 'tools'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  ['a tool of an unknown type', { tools: [{ ...tool('a'), type: 'robot' }] }, 'tools[0].type'],
  ['two tools of one name', { tools: [tool('a'), tool('a')] }, 'tools[1].function.name'],
  [
    'parameters that are no schema',
    { tools: [tool('a', { parameters: { type: 7 } })] },
    'tools[0].function.parameters',
  ],
  ['a word that is no tool_choice', { tools: [tool('a')], tool_choice: 'maybe' }, 'tool_choice'],
  [
    'a tool_choice that is not among the tools',
    { tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
    'tool_choice.function.name',
  ],
  ['tool_choice required without tools', { tool_choice: 'required' }, 'tool_choice'],
  [
    'parallel_tool_calls of a wrong type',
    { tools: [tool('a')], parallel_tool_calls: 1 },
    'parallel_tool_calls',
  ],
  ['a response_format of an unknown type', { response_format: { type: 'xml' } }, 'response_format.type'],
  [
    'json_schema without its schema',
    { response_format: { type: 'json_schema' } },
    'response_format.json_schema',
  ],
];

const malformed: ConformanceCase[] = MALFORMED.map(([what, fields, param]) => ({
  section: '2.1',
  promise: `refused: ${what}`,
  run: async (conversation) => {
    mustRefuse(await conversation.ask(fields), { code: 'invalid_request', param });
  },
}));

/** Bodies that are no request at all. */
const BODIES: readonly [string, string | Uint8Array][] = [
  ['a body that is not JSON', '{"model":'],
  ['a body without content', ''],
  ['a body that is an array', '[]'],
  ['a body that is null', 'null'],
  ['a body that is a string', '"text"'],
  ['a body that is not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
  ['20,000 levels of nesting', `{"model":"m","messages":${deep}}`],
];

const unreadable: ConformanceCase[] = BODIES.map(([what, body]) => ({
  section: '2.1',
  promise: `refused: ${what}`,
  run: async (conversation) => {
    mustRefuse(await conversation.post(body), { code: 'invalid_request' });
  },
}));

/** Refusals of the HTTP surface, each with a status of its own. */
const surface: ConformanceCase[] = [
  {
    section: '4.1',
    promise: 'another content type is refused with 415',
    run: async (conversation) => {
      const exchange = await conversation.post('model=m', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      mustRefuse(exchange, { code: 'invalid_request', status: 415 });
    },
  },
  {
    section: '4.1',
    promise: 'a compressed body is refused with 415',
    run: async (conversation) => {
      const exchange = await conversation.post(gzipSync('{}'), { headers: { 'content-encoding': 'gzip' } });
      mustRefuse(exchange, { code: 'invalid_request', status: 415 });
    },
  },
  {
    section: '4.1',
    promise: 'HEAD is refused with 405 and Allow: POST, without a body',
    run: async (conversation) => {
      const exchange = await conversation.send({ method: 'HEAD', path: '/chat/completions' });
      ensure(exchange.status === 405, `expected 405, got ${exchange.status}`);
      must(exchange.header('allow'), textLike(/\bPOST\b/, 'POST'), 'allow');
      ensure(exchange.bytes.length === 0, 'a body');
    },
  },
  ...['/chat/completions', '/models'].map((path): ConformanceCase => ({
    section: '4',
    promise: `OPTIONS /v1${path} lets pages of other origins call with a key`,
    run: async (conversation) => {
      const headers = {
        origin: 'https://example.com',
        'access-control-request-method': path === '/models' ? 'GET' : 'POST',
        'access-control-request-headers': 'authorization,content-type',
      };
      const exchange = await conversation.send({ method: 'OPTIONS', path, headers, authorization: null });
      ensure(exchange.status === 204, `expected 204, got ${exchange.status}`);
      must(exchange.header('access-control-allow-origin'), equal('*'), 'access-control-allow-origin');
      const allowed = exchange.header('access-control-allow-headers');
      must(allowed, textLike(/\bauthorization\b/i, 'authorization'), 'access-control-allow-headers');
    },
  })),
  {
    section: '4.1',
    promise: 'a body of 1 GiB is refused with 413, before it was sent',
    run: async (conversation) => {
      const exchange = await conversation.post('{"model":"', { announcedBytes: 1024 ** 3 });
      mustRefuse(exchange, { code: 'invalid_request', status: 413 });
    },
  },
  {
    section: '4',
    promise: 'an unknown path is 404 invalid_request',
    run: async (conversation) => {
      const refusal: Refusal = { code: 'invalid_request', status: 404 };
      mustRefuse(await conversation.send({ path: '/nothing' }), refusal);
    },
  },
  ...(['GET', 'PUT', 'DELETE'] as const).map((method): ConformanceCase => ({
    section: '4.1',
    promise: `${method} is refused with 405 and Allow: POST`,
    run: async (conversation) => {
      const exchange = await conversation.send({ method, path: '/chat/completions' });
      mustRefuse(exchange, { code: 'invalid_request', status: 405 });
      if (!/\bPOST\b/.test(exchange.header('allow') ?? '')) {
        throw new Error(`allow: expected POST, got ${exchange.header('allow')}`);
      }
    },
  })),
];

export const requestRules: readonly ConformanceCase[] = [...malformed, ...unreadable, ...surface];
