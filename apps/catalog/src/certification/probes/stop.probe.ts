import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';
import { whatCame } from './what-came';

const PROMPT =
  'Repeat exactly "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday" and nothing else.';

/** A word from the middle of a reply is given as `stop` when the same is asked again. */
export const stop: Probe = {
  async run(examination) {
    const body = userSays(PROMPT);
    const first = await examination.ask({ body, maxTokens: ROOM_TO_ANSWER, stream: false });
    const word = first.reply && middleWordOf(first.reply.content ?? '');
    if (word === undefined) return judgeFirst(first, examination.terms);
    const asked = { body: { ...body, stop: [word] }, maxTokens: ROOM_TO_ANSWER };
    return judgeStop(word, await askBothWays(examination, asked), examination.terms);
  },
};

function judgeFirst(first: ProbeObservation, terms: ProbeTerms): Verdict {
  if (first.reply?.finishReason === 'length' && terms.reasoning) {
    return passed(
      {},
      'It was still thinking when it had written all it may: where it stops could not be seen.',
    );
  }
  const came = first.reply ? 'its reply held too few words to stop at one' : whatCame(first, terms);
  return failed(`Asked to repeat the days of the week, ${came}.`, {}, first);
}

export function judgeStop(word: string, observed: readonly Observed[], terms: ProbeTerms): Verdict {
  return judgeReplies(`Asked with stop ["${word}"]`, observed, terms, (reply) =>
    problemOf(word, reply, terms),
  );
}

function problemOf(
  word: string,
  { content, finishReason }: ProbeReply,
  { reasoning }: ProbeTerms,
): string | undefined {
  if ((content ?? '').includes(word)) return `its reply held "${word}" all the same`;
  const isThinking = reasoning && finishReason === 'length' && (content ?? '').trim() === '';
  return finishReason === 'stop' || isThinking
    ? undefined
    : `it ended with finish_reason "${finishReason}" instead of "stop"`;
}

/** A word of letters from the middle of a text, not to be found before; undefined where there is none. */
export function middleWordOf(text: string): string | undefined {
  const words = [...text.matchAll(/[A-Za-z]{4,30}/g)].filter(
    ({ 0: word, index }) => text.indexOf(word) === index,
  );
  return words.length < 3 ? undefined : words[Math.floor(words.length / 2)]?.[0];
}
