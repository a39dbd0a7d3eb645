import type { ProbeObservation, ProbeReply, ProbeToolCall } from '@svc/contracts';
import type { Draw } from './draw';
import { functionOf, problemOfCalls } from './functions';
import { judgeReplies } from './judge-replies';
import type { Examination, Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

const LOOK_UP_STOCK = functionOf('look_up_stock', 'Tells how many pieces of an item are in stock.', {
  type: 'object',
  properties: { item: { type: 'string', minLength: 1, description: 'The number of the item' } },
  required: ['item'],
});
const ID_LENGTH = 9;

/** What is asked for, and what the tool tells: a number that nobody can guess, and that the item's does not hold. */
interface Stock {
  readonly item: string;
  readonly pieces: number;
}

/** A tool call, its result, and an answer that uses the result. */
export const agentic: Probe = {
  name: 'agentic',
  async run(examination) {
    const { draw, terms } = examination;
    const stock = { item: `B-${100 + draw.below(900)}`, pieces: 1_000 + draw.below(9_000) };
    const prompt =
      `How many pieces of item ${stock.item} are in stock? Find out by calling look_up_stock, ` +
      'then tell me the number in digits.';
    const body = userSays(prompt, { tools: [LOOK_UP_STOCK.tool], tool_choice: 'auto' });
    const first = await ask(examination, body);
    const calls = first.reply?.toolCalls ?? [];
    if (!first.reply || problemOfCalls(first.reply, [LOOK_UP_STOCK]) !== undefined) {
      return judgeAgentic(first, undefined, stock.pieces, terms);
    }
    const messages = [{ role: 'user', content: prompt }, ...answered(calls, stock, draw)];
    const second = await ask(examination, { ...body, messages });
    return judgeAgentic(first, second, stock.pieces, terms);
  },
};

function ask(examination: Examination, body: Record<string, unknown>): Promise<ProbeObservation> {
  return examination.ask({ body, maxTokens: ROOM_TO_ANSWER, stream: false });
}

/** With ids like ours, as clients send them: servers may give none, or the same twice. */
function answered(replied: readonly ProbeToolCall[], stock: Stock, draw: Draw): object[] {
  const first = draw.below(10 ** (ID_LENGTH - 1));
  const calls = replied.map((call, index) => ({
    ...call,
    id: String(first + index).padStart(ID_LENGTH, '0'),
  }));
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      })),
    },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: JSON.stringify(stock) })),
  ];
}

/**
 * @param second what came when the call's result was given; undefined when there was no call
 * @param pieces that result
 */
export function judgeAgentic(
  first: ProbeObservation,
  second: ProbeObservation | undefined,
  pieces: number,
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
    (reply) => problemOfAnswer(reply, pieces),
  );
}

function problemOfAnswer({ content, finishReason }: ProbeReply, pieces: number): string | undefined {
  // "4,173" and "4 173" say the same.
  const digits = (content ?? '').replace(/(?<=\d)[\s.,'’](?=\d{3})/g, '');
  if (digits.includes(String(pieces))) return undefined;
  return `its answer did not hold that result (finish_reason "${finishReason}")`;
}
