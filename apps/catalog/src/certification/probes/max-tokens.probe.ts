import type { ProbeReply } from '@svc/contracts';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { userSays } from './questions';

const BODY = userSays('Count from 1 to 500 in digits, separated by commas and spaces. Write nothing else.');
const MAX_TOKENS = 16;
/** Servers may count the end of a reply as well. */
const END_TOKENS = 1;
/** Tokens of a count are short; a reply of longer ones on average went past its limit, whatever it says. */
const MAX_BYTES_PER_TOKEN = 16;

/** A text that must be cut at `max_tokens`. */
export const maxTokens: Probe = {
  async run(examination) {
    const observed = await askBothWays(examination, { body: BODY, maxTokens: MAX_TOKENS, exactly: true });
    return judgeMaxTokens(observed, examination.terms);
  },
};

export function judgeMaxTokens(observed: readonly Observed[], terms: ProbeTerms): Verdict {
  return judgeReplies(`Asked for a long text with max_tokens ${MAX_TOKENS}`, observed, terms, (reply) =>
    problemOf(reply, terms),
  );
}

function problemOf(
  { finishReason, outputBytes, usage }: ProbeReply,
  { reasoning }: ProbeTerms,
): string | undefined {
  if (finishReason !== 'length') return `it ended with finish_reason "${finishReason}" instead of "length"`;
  // All of it may have been thoughts.
  if (outputBytes === 0 && !reasoning) return 'its reply was empty';
  if (outputBytes > MAX_TOKENS * MAX_BYTES_PER_TOKEN) {
    return `it wrote ${outputBytes} bytes, more than so many tokens are`;
  }
  const claimed = usage?.completionTokens ?? 0;
  return claimed > MAX_TOKENS + END_TOKENS ? `it claims ${claimed} completion tokens` : undefined;
}
