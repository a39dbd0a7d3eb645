import { NotApplicable } from '../deviation';
import { callsOf, contentOf, finishReasonOf, messageOf } from '../shape/reply-parts';
import type { Call } from '../shape/reply-parts';
import { streamedToolCall, toolCall } from '../shape/reply-shapes';
import { ensure, equal, integer, listOf, must, nothing, object, text } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import type { Charges } from '../suite/spending';
import { choicesOf, contentChunksOf, lastOf, streamedCallsOf } from './stream-parts';

const ONE: Charges = { requests: 1 };

/** A tool with one argument, a text. */
export const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};
const clock = {
  type: 'function',
  function: {
    name: 'get_time',
    description: 'The time in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const question = { role: 'user', content: 'What is the weather in Oslo now?' };
const asked = { messages: [question], tools: [weather, clock] };
const named = (name: string) => ({ type: 'function', function: { name } });

const required = (conversation: Conversation) => ({
  ...asked,
  model: conversation.models.toolsWith('required').id,
  tool_choice: 'required',
});

/** A plain reply that was told to call something. */
const called = (conversation: Conversation) => {
  const fields = required(conversation);
  return conversation.specimen('called', () => fields);
};

/** The same, streamed. */
const calledInStream = (conversation: Conversation) => {
  const fields = { ...required(conversation), stream: true };
  return conversation.specimen('called in a stream', () => fields);
};

function mustBeOffered(calls: readonly Call[]): void {
  const offered = asked.tools.map((each) => each.function.name);
  const stranger = calls.find((each) => !offered.includes(each.function.name));
  ensure(stranger === undefined, `"${stranger?.function.name}" was called, which was not offered`);
  ensure(new Set(calls.map(({ id }) => id)).size === calls.length, 'two calls have one id');
}

const choosing: ConformanceCase[] = [
  {
    section: '2.2',
    promise: 'tool_choice required: calls, each with id, name and arguments that are an object',
    charges: ONE,
    run: async (conversation) => {
      const body = (await called(conversation)).json();
      must(callsOf(body), listOf(toolCall, 1), 'tool_calls');
      mustBeOffered(callsOf(body));
    },
  },
  {
    section: '2.2',
    promise: 'a reply of calls only has content null and finish_reason tool_calls',
    charges: ONE,
    run: async (conversation) => {
      const body = (await called(conversation)).json();
      must(finishReasonOf(body), equal('tool_calls'), 'finish_reason');
      // With words beside its calls it is not of calls only.
      if (contentOf(body)) throw new NotApplicable('the reply has a text beside its calls');
      must(contentOf(body), nothing, 'content');
    },
  },
  {
    section: '2.1',
    promise: 'tool_choice none: a text, and no calls',
    charges: ONE,
    run: async (conversation) => {
      const model = conversation.models.toolsWith('none').id;
      const body = (await conversation.serve({ ...asked, model, tool_choice: 'none' })).json();
      ensure(callsOf(body).length === 0, 'tool_calls: expected none');
      ensure((contentOf(body) ?? '') !== '', 'content: expected a text');
    },
  },
  {
    section: '2.1',
    promise: 'tool_choice auto, and none given: a text or calls that are in order',
    charges: { requests: 2 },
    run: async (conversation) => {
      const model = conversation.models.toolsWith('auto').id;
      for (const choice of ['auto', undefined]) {
        const body = (await conversation.serve({ ...asked, model, tool_choice: choice })).json();
        must(callsOf(body), listOf(toolCall), 'tool_calls');
        mustBeOffered(callsOf(body));
        const calls = callsOf(body).length > 0;
        ensure(calls || (contentOf(body) ?? '') !== '', 'neither a text nor a call');
        ensure(
          calls === (finishReasonOf(body) === 'tool_calls'),
          `finish_reason: ${String(finishReasonOf(body))}`,
        );
      }
    },
  },
  {
    section: '2.1',
    promise: 'tool_choice that names a function: that one is called',
    charges: ONE,
    run: async (conversation) => {
      const model = conversation.models.toolsWith('function').id;
      const fields = { ...asked, model, tool_choice: named('get_time') };
      const calls = callsOf((await conversation.serve(fields)).json());
      must(calls, listOf(toolCall, 1), 'tool_calls');
      ensure(
        calls.every((each) => each.function.name === 'get_time'),
        'another function was called',
      );
    },
  },
  {
    section: '2.1',
    promise: 'parallel_tool_calls false: one call at most',
    charges: ONE,
    run: async (conversation) => {
      const messages = [{ role: 'user', content: 'What is the weather in Oslo, in Rome and in Lima?' }];
      const fields = { ...required(conversation), messages, parallel_tool_calls: false };
      const calls = callsOf((await conversation.serve(fields)).json());
      ensure(calls.length === 1, `expected one call, got ${calls.length}`);
    },
  },
  {
    section: '2.1',
    promise: 'a call’s result goes back as a tool message and is answered',
    charges: { requests: 2 },
    run: async (conversation) => {
      const fields = required(conversation);
      const reply = (await called(conversation)).json();
      const results = callsOf(reply).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: '{"celsius": 21}',
      }));
      // As it came: a model that thinks may need what it thought.
      const messages = [question, messageOf(reply), ...results];
      const body = (await conversation.serve({ ...fields, messages, tool_choice: undefined })).json();
      ensure((contentOf(body) ?? '') !== '' || callsOf(body).length > 0, 'neither a text nor a call');
    },
  },
  {
    section: '2.3',
    promise: 'a strict function’s arguments keep to its schema',
    charges: ONE,
    run: async (conversation) => {
      const { id, contract } = conversation.models.toolsWith('required');
      if (contract?.strict === false) throw new NotApplicable(`${id} was not certified for strict schemas`);
      const strict = { ...weather, function: { ...weather.function, strict: true } };
      const fields = { messages: [question], model: id, tools: [strict], tool_choice: 'required' };
      const [call] = callsOf((await conversation.serve(fields)).json());
      const document = JSON.parse(call?.function.arguments ?? 'null') as object;
      must(document, object({ city: text }), 'arguments');
      ensure(
        Object.keys(document).length === 1,
        `arguments hold more than city: ${JSON.stringify(document)}`,
      );
    },
  },
];

const streamed: ConformanceCase[] = [
  {
    section: '4.1',
    promise: 'a streamed call comes whole, in one delta with its index',
    charges: ONE,
    run: async (conversation) => {
      const calls = streamedCallsOf(await calledInStream(conversation));
      must(calls, listOf(streamedToolCall, 1), 'tool_calls');
      const indexes = calls.map(({ index }) => index);
      ensure(
        indexes.every((index, at) => index === at),
        `index: expected 0, 1, …, got ${indexes.join(', ')}`,
      );
      mustBeOffered(calls);
    },
  },
  {
    section: '4.1',
    promise: 'a stream of calls ends with finish_reason tool_calls, then the charge',
    charges: ONE,
    run: async (conversation) => {
      const exchange = await calledInStream(conversation);
      must(
        choicesOf(contentChunksOf(exchange).at(-1))[0]?.finish_reason,
        equal('tool_calls'),
        'finish_reason',
      );
      must(
        lastOf(exchange),
        object({ choices: listOf(object({ index: integer() })), svc: object({ cost_usdc: text }) }),
      );
    },
  },
];

export const tools: readonly ConformanceCase[] = [...choosing, ...streamed];
