import type { ProbeObservation, ProbeReply, ProbeToolCall, ReasoningField } from '@svc/contracts';
import type { Draw } from './draw';
import { failedFor } from './failed-for';
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

/** The figure that says by which field what a model thought was taken back. */
export const THOUGHTS_TAKEN: Readonly<Record<ReasoningField, string>> = {
  reasoning_content: 'takesReasoningContent',
  reasoning: 'takesReasoning',
  extra_content: 'takesExtraContent',
};

/** A tool call, its result, and an answer that uses the result. */
export const agentic: Probe = {
  async run(examination) {
    const { draw, terms } = examination;
    // What is asked for, and what the tool tells: a number that nobody can guess, and that the item's does not hold.
    const stock = { item: `B-${100 + draw.below(900)}`, pieces: 1_000 + draw.below(9_000) };
    const prompt =
      `How many pieces of item ${stock.item} are in stock? Find out by calling look_up_stock, ` +
      'then tell me the number in digits.';
    const body = userSays(prompt, { tools: [LOOK_UP_STOCK.tool], tool_choice: 'auto' });
    const first = await ask(examination, body);
    const { reply } = first;
    if (!reply || problemOfCalls(reply, [LOOK_UP_STOCK]) !== undefined) {
      return judgeAgentic(first, undefined, stock.pieces, terms);
    }
    const calls = withClientIds(reply.toolCalls, draw);
    const giveBack = (field: ReasoningField | undefined) => {
      const message = calling(calls, reply, field);
      const results = calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: JSON.stringify(stock),
      }));
      return ask(examination, {
        ...body,
        messages: [{ role: 'user', content: prompt }, message, ...results],
      });
    };
    // As requests of clients are passed on: with what a model thought, where its server has it, unless the server takes none.
    const reasoningField = terms.reasoning ? reply.reasoningField : undefined;
    const second = await giveBack(reasoningField);
    if (reasoningField && failedFor(second, 'request_refused')) {
      return judgeAgentic(first, await giveBack(undefined), stock.pieces, terms);
    }
    const verdict = judgeAgentic(first, second, stock.pieces, terms);
    if (!reasoningField || !second.reply) return verdict;
    return { ...verdict, figures: { ...verdict.figures, [THOUGHTS_TAKEN[reasoningField]]: 1 } };
  },
};

function ask(examination: Examination, body: Record<string, unknown>): Promise<ProbeObservation> {
  return examination.ask({ body, maxTokens: ROOM_TO_ANSWER, stream: false });
}

/** With ids like ours, as clients send them: servers may give none, or the same twice. */
function withClientIds(calls: readonly ProbeToolCall[], draw: Draw): ProbeToolCall[] {
  const first = draw.below(10 ** (ID_LENGTH - 1));
  return calls.map((call, index) => ({ ...call, id: String(first + index).padStart(ID_LENGTH, '0') }));
}

/** @param field by which the server is told what its model thought */
function calling(
  calls: readonly ProbeToolCall[],
  { reasoning }: ProbeReply,
  field: ReasoningField | undefined,
): object {
  const isSealed = field === 'extra_content';
  return {
    role: 'assistant',
    content: null,
    ...(field && !isSealed && { [field]: reasoning }),
    tool_calls: calls.map(({ id, name, arguments: text, extraContent }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
      ...(isSealed && extraContent && { extra_content: extraContent }),
    })),
  };
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
