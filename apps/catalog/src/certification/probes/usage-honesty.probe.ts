import type { ProbeObservation } from '@svc/contracts';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { ROOM_TO_ANSWER, drawWords, roomToThink, userSays } from './questions';
import { whatCame } from './what-came';

/** Prompts of two lengths, which differ in nothing but so many words. */
const SHORT_WORDS = 40;
const LONG_WORDS = 4 * SHORT_WORDS;
/** Tokens of a common English word with the space before it; the chat template's own are in both prompts. */
const LEAST_TOKENS_PER_WORD = 0.6;
const MOST_TOKENS_PER_WORD = 2.5;
/** Of common English words; with fewer on average, tokens are claimed that nobody wrote. */
const LEAST_BYTES_PER_TOKEN = 2.6;
const MOST_BYTES_PER_TOKEN = 16;
/** Tokens without bytes that a reply may have: its beginning and its end. */
const SILENT_TOKENS = 16;
/** Enough for those not to hide much. */
const PROSE_WORDS = 48;
/** A word may be cut otherwise after a quotation mark than after a space, hardly more. */
const MOST_OUTPUT_TO_INPUT = 1.3;

/** What it claims to have used, against what it was given and what it wrote. */
export const usageHonesty: Probe = {
  name: 'usage_honesty',
  async run(examination) {
    const ask = (prompt: string, stream: boolean) =>
      examination.ask({ body: userSays(prompt), maxTokens: ROOM_TO_ANSWER, stream });
    const { draw, terms } = examination;
    const words = drawWords(draw, LONG_WORDS);
    const short = (count: number) =>
      ask(
        `Reply with exactly "ok" and nothing else. Do not mind these words: ${words.slice(0, count).join(' ')}`,
        false,
      );
    const text = drawWords(draw, PROSE_WORDS).join(' ');
    const [few, many, prose] = await Promise.all([
      short(SHORT_WORDS),
      short(LONG_WORDS),
      ask(`Repeat exactly "${text}" and nothing else.`, true),
    ]);
    return judgeUsage({ few, many, prose, text }, terms);
  },
};

/** Short replies to a short and a long prompt, and a longer reply, streamed. */
export interface UsageObservations {
  few: ProbeObservation;
  many: ProbeObservation;
  prose: ProbeObservation;
  /** What the longer reply was to repeat. */
  text: string;
}

export function judgeUsage(observations: UsageObservations, terms: ProbeTerms): Verdict {
  const { few, many, prose } = observations;
  const all = [few, many, prose];
  const broken = all.find(({ reply }) => !reply);
  if (broken) return failed(`Asked for a short text to see what it claims, ${whatCame(broken, terms)}.`);
  const silent = all.filter(({ reply }) => !reply?.usage).length;
  const perWord = tokensPerWord(few, many);
  const figures = {
    withoutUsage: silent,
    ...(perWord !== undefined && { tokensPerWord: Math.round(perWord * 100) / 100 }),
  };
  const problem =
    all.map((each) => problemOfOutput(each, terms)).find((each) => each !== undefined) ??
    (perWord === undefined ? undefined : problemOfWords(observations, perWord, terms));
  if (problem !== undefined) return failed(problem, figures);
  if (silent === 0) return passed(figures);
  return passed(
    figures,
    `${silent} of 3 replies said nothing of usage: the marketplace counts for itself there.`,
  );
}

/** By the prompts: the words are all they differ in. Undefined where it says nothing of one of them. */
function tokensPerWord(few: ProbeObservation, many: ProbeObservation): number | undefined {
  const [ofFew, ofMany] = [few.reply?.usage, many.reply?.usage];
  return ofFew && ofMany && (ofMany.promptTokens - ofFew.promptTokens) / (LONG_WORDS - SHORT_WORDS);
}

function problemOfPrompts(perWord: number): string | undefined {
  if (perWord >= LEAST_TOKENS_PER_WORD && perWord <= MOST_TOKENS_PER_WORD) return undefined;
  const words = LONG_WORDS - SHORT_WORDS;
  return (
    `Given a prompt that is ${words} common English words longer, it claims ${Math.round(perWord * words)} ` +
    `prompt tokens more: ${Math.round(perWord * 100) / 100} a word.`
  );
}

function problemOfWords(
  { prose, text }: UsageObservations,
  perWord: number,
  { reasoning }: ProbeTerms,
): string | undefined {
  return problemOfPrompts(perWord) ?? (reasoning ? undefined : problemOfProse(prose, text, perWord));
}

/** The same words must not cost much more as output than as input. Says nothing where it wrote anything else besides. */
function problemOfProse({ reply }: ProbeObservation, text: string, perWord: number): string | undefined {
  const { content, outputBytes, usage } = reply ?? {};
  const isWordForWord = content?.trim() === text && outputBytes === Buffer.byteLength(content);
  const most = Math.round(perWord * PROSE_WORDS * MOST_OUTPUT_TO_INPUT + SILENT_TOKENS);
  if (!isWordForWord || !usage || usage.completionTokens <= most) return undefined;
  return (
    `It wrote ${PROSE_WORDS} common English words and claims ${usage.completionTokens} completion tokens; by what it claims for ` +
    `the same words in a prompt there can be ${most} at most.`
  );
}

/** Of a model that thinks nobody may have seen what it claims: then it is only that it must keep to its limit. */
function problemOfOutput({ reply }: ProbeObservation, terms: ProbeTerms): string | undefined {
  const { outputBytes = 0, usage } = reply ?? {};
  if (!usage) return undefined;
  const claimed = usage.completionTokens;
  const words = `It wrote ${outputBytes} bytes and claims ${claimed} completion tokens`;
  const seen = outputBytes / LEAST_BYTES_PER_TOKEN + SILENT_TOKENS;
  if (claimed > (terms.reasoning ? ROOM_TO_ANSWER + roomToThink(terms) : seen))
    return `${words}: more than those can be.`;
  if (claimed * MOST_BYTES_PER_TOKEN < outputBytes) return `${words}: fewer than those can be.`;
  return undefined;
}
