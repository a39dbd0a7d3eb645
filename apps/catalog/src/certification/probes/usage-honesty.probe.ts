import type { ProbeObservation } from '@svc/contracts';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { ROOM_TO_ANSWER, commonWords, userSays } from './questions';
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

/** What it claims to have used, against what it was given and what it wrote. */
export const usageHonesty: Probe = {
  name: 'usage_honesty',
  async run(examination) {
    const ask = (prompt: string, stream: boolean) =>
      examination.ask({ body: userSays(prompt), maxTokens: ROOM_TO_ANSWER, stream });
    const short = (words: number) =>
      ask(`Reply with exactly "ok" and nothing else. Do not mind these words: ${commonWords(words)}`, false);
    const [few, many, prose] = await Promise.all([
      short(SHORT_WORDS),
      short(LONG_WORDS),
      ask(`Repeat exactly "${commonWords(PROSE_WORDS)}" and nothing else.`, true),
    ]);
    return judgeUsage({ few, many, prose }, examination.terms);
  },
};

/** Short replies to a short and a long prompt, and a longer reply, streamed. */
export interface UsageObservations {
  few: ProbeObservation;
  many: ProbeObservation;
  prose: ProbeObservation;
}

export function judgeUsage(observations: UsageObservations, terms: ProbeTerms): Verdict {
  const { few, many, prose } = observations;
  const broken = [few, many, prose].find(({ reply }) => !reply);
  if (broken) return failed(`Asked for a short text to see what it claims, ${whatCame(broken, terms)}.`);
  const claims = [few, many, prose].filter(({ reply }) => reply?.usage);
  const silent = 3 - claims.length;
  const figures: Record<string, number> = { withoutUsage: silent };
  for (const observation of claims) {
    const problem = problemOfOutput(observation);
    if (problem !== undefined) return failed(problem, figures);
  }
  const [usageOfFew, usageOfMany] = [few.reply?.usage, many.reply?.usage];
  if (usageOfFew && usageOfMany) {
    const perWord = (usageOfMany.promptTokens - usageOfFew.promptTokens) / (LONG_WORDS - SHORT_WORDS);
    figures.tokensPerWord = Math.round(perWord * 100) / 100;
    if (perWord < LEAST_TOKENS_PER_WORD || perWord > MOST_TOKENS_PER_WORD) {
      const claimed = usageOfMany.promptTokens - usageOfFew.promptTokens;
      return failed(
        `Given a prompt that is ${LONG_WORDS - SHORT_WORDS} common English words longer, it claims ${claimed} ` +
          `prompt tokens more: ${figures.tokensPerWord} a word.`,
        figures,
      );
    }
  }
  if (silent === 0) return passed(figures);
  return passed(
    figures,
    `${silent} of 3 replies said nothing of usage: the marketplace counts for itself there.`,
  );
}

function problemOfOutput({ reply }: ProbeObservation): string | undefined {
  const { outputBytes = 0, usage } = reply ?? {};
  const claimed = usage?.completionTokens ?? 0;
  const words = `It wrote ${outputBytes} bytes and claims ${claimed} completion tokens`;
  if (claimed > outputBytes / LEAST_BYTES_PER_TOKEN + SILENT_TOKENS)
    return `${words}: more than those can be.`;
  if (claimed * MOST_BYTES_PER_TOKEN < outputBytes) return `${words}: fewer than those can be.`;
  return undefined;
}
