import type { ProbeObservation, ProbeReply, ProbeToolCall } from '@svc/contracts';
import { functionOf, problemOfCalls } from './functions';
import { judgeReplies } from './judge-replies';
import type { Examination, Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

const LOOK_UP_STOCK = functionOf('look_up_stock', 'Tells how many pieces of an item are in stock.', {
  type: 'object',
  properties: { item: { type: 'string', minLength: 1, description: 'The number of the item' } },
  required: ['item'],
});
const PROMPT =
  'How many pieces of item B-7741 are in stock? Find out by calling look_up_stock, then tell me the number in digits.';
/** A number that nobody can guess. */
const PIECES = 4_173;
const ID_DIGITS = 24;
const RESULT = JSON.stringify({ item: 'B-7741', pieces: PIECES });

/** A tool call, its result, and an answer that uses the result. */
export const agentic: Probe = {
  name: 'agentic',
  async run(examination) {
    const body = userSays(PROMPT, { tools: [LOOK_UP_STOCK.tool], tool_choice: 'auto' });
    const first = await ask(examination, body);
    const calls = first.reply?.toolCalls ?? [];
    if (!first.reply || problemOfCalls(first.reply, [LOOK_UP_STOCK]) !== undefined) {
      return judgeAgentic(first, undefined, examination.terms);
    }
    const second = await ask(examination, { ...body, messages: conversation(calls) });
    return judgeAgentic(first, second, examination.terms);
  },
};

function ask(examination: Examination, body: Record<string, unknown>): Promise<ProbeObservation> {
  return examination.ask({ body, maxTokens: ROOM_TO_ANSWER, stream: false });
}

/** With ids of ours, as clients send them: servers may give none, or the same twice. */
function conversation(replied: readonly ProbeToolCall[]): object[] {
  const calls = replied.map((call, index) => ({
    ...call,
    id: `call_${String(index).padStart(ID_DIGITS, '0')}`,
  }));
  return [
    { role: 'user', content: PROMPT },
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      })),
    },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT })),
  ];
}

/** @param second what came when the call's result was given; undefined when there was no call */
export function judgeAgentic(
  first: ProbeObservation,
  second: ProbeObservation | undefined,
  terms: ProbeTerms,
): Verdict {
  const called = judgeReplies(
    'Asked what only a tool can tell',
    [{ stream: false, observation: first }],
    terms,
    (reply) => problemOfCalls(reply, [LOOK_UP_STOCK]),
  );
  if (!called.passed || !second) return called;
  return judgeReplies(
    'Given the result of its tool call',
    [{ stream: false, observation: second }],
    terms,
    problemOfAnswer,
  );
}

function problemOfAnswer({ content, finishReason }: ProbeReply): string | undefined {
  // "4,173" and "4 173" say the same.
  const digits = (content ?? '').replace(/(?<=\d)[\s.,'’](?=\d{3})/g, '');
  if (digits.includes(String(PIECES))) return undefined;
  return `its answer did not hold that result (finish_reason "${finishReason}")`;
}
