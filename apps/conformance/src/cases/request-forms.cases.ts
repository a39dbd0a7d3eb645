import { contentOf, finishReasonOf, usageOf } from '../shape/reply-parts';
import { ensure, must, object } from '../shape/rules';
import { integer } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Charges } from '../suite/spending';

const ONE: Charges = { requests: 1 };
const user = (content: unknown) => ({ role: 'user', content });
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
};

/** Requests that must be served as they are. */
const ACCEPTED: readonly [string, object][] = [
  [
    'system, user and assistant messages',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        user('Hello'),
        { role: 'assistant', content: 'Hello.' },
        user('What is a river?'),
      ],
    },
  ],
  [
    'the role developer, as system',
    { messages: [{ role: 'developer', content: 'Be brief.' }, user('Hello')] },
  ],
  ['a message with a name', { messages: [{ ...user('Hello'), name: 'ada' }] }],
  [
    'content as an array of text parts',
    {
      messages: [
        user([
          { type: 'text', text: 'What is ' },
          { type: 'text', text: 'a river?' },
        ]),
      ],
    },
  ],
  [
    'a history of calls and results, content null',
    {
      messages: [
        user('How warm is it in Oslo?'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"celsius": 21}' },
        user('Thank you. Say it once more.'),
      ],
    },
  ],
  ['temperature and top_p', { temperature: 0.2, top_p: 0.9 }],
  ['n 1', { n: 1 }],
  [
    'the optional fields that clients send',
    { seed: 7, user: 'u1', metadata: { a: 'b' }, store: false, presence_penalty: 0, frequency_penalty: 0 },
  ],
  ['an optional field that is null, as absent', { temperature: null, stop: null, tools: null, stream: null }],
  [
    'what newer clients put into a request beside the interface',
    {
      ...{ service_tier: 'auto', verbosity: 'low', prompt_cache_key: 'k1', safety_identifier: 's1' },
      ...{ parallel_tool_calls: true, modalities: ['text'], reasoning_effort: null, top_logprobs: null },
    },
  ],
  [
    'replies as clients send them back',
    {
      messages: [
        user('Hello'),
        {
          ...{ role: 'assistant', content: 'Hello.', refusal: null, parsed: null, annotations: [] },
          ...{ audio: null, function_call: null, tool_calls: null },
        },
        user('What is a river?'),
        // As `@openai/agents` keeps it: the part has a role too.
        { role: 'assistant', content: [{ type: 'text', text: 'Water that runs.', role: 'assistant' }] },
        user('Thank you. Say it once more.'),
      ],
    },
  ],
  ['unknown fields, which are ignored', { x_unknown: { deep: [1, 2] }, another: 'one' }],
  ['response_format text', { response_format: { type: 'text' } }],
  ['logprobs false', { logprobs: false }],
  ['a list of tools that is empty', { tools: [] }],
  ['a list of stops that is empty', { stop: [] }],
];

const accepted: ConformanceCase[] = ACCEPTED.map(([what, fields]) => ({
  section: '2.1',
  promise: `served: ${what}`,
  charges: ONE,
  run: async (conversation) => {
    const body = (await conversation.serve(fields)).json();
    ensure((contentOf(body) ?? '') !== '', 'choices[0].message.content: expected a text');
  },
}));

const COUNT = { messages: [user('Count from 1 to 200.')] };

const limits: ConformanceCase[] = ['max_tokens', 'max_completion_tokens'].map((field) => ({
  section: '2.1',
  promise: `${field} bounds the output; finish_reason is then length`,
  charges: ONE,
  run: async (conversation) => {
    const body = (await conversation.serve({ ...COUNT, [field]: 5 })).json();
    must(finishReasonOf(body), (reason) =>
      reason === 'length' ? [] : [`finish_reason: expected length, got ${String(reason)}`],
    );
    const { completion_tokens: tokens } = usageOf(body);
    ensure(tokens <= 5, `usage.completion_tokens: expected at most 5, got ${tokens}`);
  },
}));

const stops: ConformanceCase[] = (
  [
    ['a string', '7'],
    ['an array', ['7', '@@@']],
  ] as const
).map(([what, stop]) => ({
  section: '2.1',
  promise: `stop as ${what} ends the text before it`,
  charges: ONE,
  run: async (conversation) => {
    const content = contentOf((await conversation.serve({ ...COUNT, stop })).json()) ?? '';
    ensure(!content.includes('7'), `content holds the stop: ${content.slice(0, 120)}`);
  },
}));

const others: ConformanceCase[] = [
  {
    section: '2.1',
    promise: 'max_tokens and max_completion_tokens may both be given when they are equal',
    charges: ONE,
    run: async (conversation) => {
      await conversation.serve({ max_tokens: 20, max_completion_tokens: 20 });
    },
  },
  {
    section: '2.1',
    promise: 'a request without max_tokens is served',
    charges: { requests: 1, unbounded: true },
    run: async (conversation) => {
      const exchange = await conversation.serve({ messages: [user('Say hello.')], max_tokens: undefined });
      must(exchange.json(), object({ usage: object({ completion_tokens: integer(1) }) }));
    },
  },
  {
    section: '2.1',
    promise: 'text of every script goes there and back as UTF-8',
    charges: { requests: 2 },
    run: async (conversation) => {
      const fields = { messages: [user('Reply with "Zoë 🦊 数据 العربية \u0000 \u2028 é"')] };
      for (const stream of [false, true]) {
        const { bytes, text } = await conversation.serve({ ...fields, stream });
        ensure(Buffer.from(text).equals(bytes), 'the reply is not UTF-8');
        ensure(!text.includes('\ufffd'), 'the reply holds U+FFFD: characters were cut');
      }
    },
  },
];

export const requestForms: readonly ConformanceCase[] = [...accepted, ...limits, ...stops, ...others];
