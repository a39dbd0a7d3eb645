import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { ROOM_TO_ANSWER, drawWords, roomToThink, userSays } from './questions';
import { whatCame } from './what-came';

/** How many words two prompts have, which differ in nothing else. */
const SHORT_WORDS = 40;
const LONG_WORDS = 4 * SHORT_WORDS;
/** Tokens of a common English word with the space before it; the chat template's own are in both prompts. */
const LEAST_TOKENS_PER_WORD = 0.6;
const MOST_TOKENS_PER_WORD = 2.5;
/** Tokenizers of other languages cut English so finely; believed where output is claimed by the same measure. */
const FINEST_TOKENS_PER_WORD = 3;
/** The question around the words, as words; and what a provider's own system prompt may add that nobody sees. */
const QUESTION_WORDS = 16;
const MOST_HIDDEN_TOKENS = 256;
/** A token of common English words has as many bytes at least, on average: with fewer, tokens are claimed that nobody wrote. */
const LEAST_BYTES_PER_ENGLISH_TOKEN = 2.6;
const MOST_BYTES_PER_TOKEN = 16;
/** Tokens without bytes that a reply may have: its beginning and its end. */
const SILENT_TOKENS = 16;
/** Of a word of these prompts and the space before it. */
const BYTES_PER_WORD = 5.8;
const END_TOKENS = 1;
/** Enough for those not to hide much. */
const PROSE_WORDS = 48;
/** A word may be cut otherwise after a quotation mark than after a space, hardly more. */
const MOST_OUTPUT_TO_INPUT = 1.3;

/** What it claims to have used, against what it was given and what it wrote. */
export const usageHonesty: Probe = {
  async run(examination) {
    const ask = (prompt: string, { stream }: { stream: boolean }) =>
      examination.ask({ body: userSays(prompt), maxTokens: ROOM_TO_ANSWER, stream });
    const { draw, terms } = examination;
    const words = drawWords(draw, LONG_WORDS);
    const short = (count: number) =>
      ask(
        `Reply with exactly "ok" and nothing else. Do not mind these words: ${words.slice(0, count).join(' ')}`,
        { stream: false },
      );
    const text = drawWords(draw, PROSE_WORDS).join(' ');
    const [few, many, prose] = await Promise.all([
      short(SHORT_WORDS),
      short(LONG_WORDS),
      ask(`Repeat exactly "${text}" and nothing else.`, { stream: true }),
    ]);
    return judgeUsage({ few, many, prose, text }, terms);
  },
};

/** Short replies to a short and a long prompt, and a longer reply, streamed. */
interface UsageObservations {
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
  if (broken)
    return failed(`Asked for a short text to see what it claims, ${whatCame(broken, terms)}.`, {}, broken);
  const silent = all.filter((each) => !usageOf(each)).length;
  const perWord = tokensPerWord(few, many);
  const figures = {
    withoutUsage: silent,
    ...(perWord !== undefined && { tokensPerWord: Math.round(perWord * 100) / 100 }),
  };
  const problem =
    all.map((each) => problemOfOutput(each, perWord, terms)).find((each) => each !== undefined) ??
    (perWord === undefined ? undefined : problemOfWords(observations, perWord, terms));
  if (problem !== undefined) return failed(problem, figures);
  if (silent === 0) return passed(figures);
  return passed(
    figures,
    `${silent} of 3 replies said nothing of usage: the marketplace counts for itself there.`,
  );
}

/** No tokens at all for a reply that came is no claim: so do servers that do not count. */
function usageOf({ reply }: ProbeObservation): ProbeReply['usage'] {
  const { promptTokens = 0, completionTokens = 0 } = reply?.usage ?? {};
  return promptTokens === 0 && completionTokens === 0 ? undefined : reply?.usage;
}

/** By the prompts: the words are all they differ in. Undefined where it says nothing of one of them. */
function tokensPerWord(few: ProbeObservation, many: ProbeObservation): number | undefined {
  const [ofFew, ofMany] = [usageOf(few), usageOf(many)];
  return ofFew && ofMany && (ofMany.promptTokens - ofFew.promptTokens) / (LONG_WORDS - SHORT_WORDS);
}

function problemOfPrompts(
  { few, prose }: UsageObservations,
  perWord: number,
  { reasoning }: ProbeTerms,
): string | undefined {
  const isFine = !reasoning && perWord <= FINEST_TOKENS_PER_WORD && isClaimedAlike(prose, perWord);
  if (perWord >= LEAST_TOKENS_PER_WORD && (perWord <= MOST_TOKENS_PER_WORD || isFine)) {
    return problemOfHidden(few, perWord);
  }
  const words = LONG_WORDS - SHORT_WORDS;
  return (
    `Given a prompt that is ${words} common English words longer, it claims ${Math.round(perWord * words)} ` +
    `prompt tokens more: ${Math.round(perWord * 100) / 100} a word.`
  );
}

/** Whether it claims for what it wrote about as much as that would have been in a prompt. */
function isClaimedAlike(prose: ProbeObservation, perWord: number): boolean {
  const { outputBytes = 0 } = prose.reply ?? {};
  const asPrompt = (outputBytes / BYTES_PER_WORD) * perWord;
  return (usageOf(prose)?.completionTokens ?? 0) >= asPrompt / MOST_OUTPUT_TO_INPUT - SILENT_TOKENS;
}

/** What every prompt costs besides its words. */
function problemOfHidden(few: ProbeObservation, perWord: number): string | undefined {
  const words = SHORT_WORDS + QUESTION_WORDS;
  const claimed = usageOf(few)?.promptTokens ?? 0;
  const most = Math.round(words * perWord) + MOST_HIDDEN_TOKENS;
  if (claimed <= most) return undefined;
  return (
    `Given a prompt of about ${words} common English words, it claims ${claimed} prompt tokens; by what it claims for more words ` +
    `there can be ${most} at most, ${MOST_HIDDEN_TOKENS} of its own among them.`
  );
}

function problemOfWords(
  observations: UsageObservations,
  perWord: number,
  terms: ProbeTerms,
): string | undefined {
  const ofPrompts = problemOfPrompts(observations, perWord, terms);
  return ofPrompts ?? (terms.reasoning ? undefined : problemOfProse(observations, perWord));
}

/** The same words must not cost much more as output than as input. Says nothing where it wrote anything else besides. */
function problemOfProse({ prose, text }: UsageObservations, perWord: number): string | undefined {
  const { content, outputBytes } = prose.reply ?? {};
  const usage = usageOf(prose);
  const isWordForWord = content?.trim() === text && outputBytes === Buffer.byteLength(content);
  const most = Math.round(perWord * PROSE_WORDS * MOST_OUTPUT_TO_INPUT + SILENT_TOKENS);
  if (!isWordForWord || !usage || usage.completionTokens <= most) return undefined;
  return (
    `It wrote ${PROSE_WORDS} common English words and claims ${usage.completionTokens} completion tokens; by what it claims for ` +
    `the same words in a prompt there can be ${most} at most.`
  );
}

/** Fewer where words have more tokens: as many as the same bytes would have in a prompt, and some more. */
function leastBytesPerToken(perWord: number | undefined): number {
  if (perWord === undefined || perWord > FINEST_TOKENS_PER_WORD) return LEAST_BYTES_PER_ENGLISH_TOKEN;
  return Math.min(LEAST_BYTES_PER_ENGLISH_TOKEN, BYTES_PER_WORD / (perWord * MOST_OUTPUT_TO_INPUT));
}

/** Of a model that thinks nobody may have seen what it claims: then it is only that it must keep to its limit. */
function problemOfOutput(
  observation: ProbeObservation,
  perWord: number | undefined,
  terms: ProbeTerms,
): string | undefined {
  const { outputBytes = 0 } = observation.reply ?? {};
  const usage = usageOf(observation);
  if (!usage) return undefined;
  const claimed = usage.completionTokens;
  const words = `It wrote ${outputBytes} bytes and claims ${claimed} completion tokens`;
  const seen = outputBytes / leastBytesPerToken(perWord) + SILENT_TOKENS;
  if (claimed > (terms.reasoning ? ROOM_TO_ANSWER + roomToThink(terms) + END_TOKENS : seen))
    return `${words}: more than those can be.`;
  if (claimed * MOST_BYTES_PER_TOKEN < outputBytes) return `${words}: fewer than those can be.`;
  return undefined;
}
