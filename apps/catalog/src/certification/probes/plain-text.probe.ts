import type { ProbeReply } from '@svc/contracts';
import { judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

const BODY = userSays('Reply with exactly "ready" and nothing else.');

/** A short text, in one piece: not empty. */
export const plainText: Probe = {
  name: 'plain_text',
  async run(examination) {
    const observation = await examination.ask({ body: BODY, maxTokens: ROOM_TO_ANSWER, stream: false });
    return judgePlainText([{ stream: false, observation }], examination.terms);
  },
};

export function judgePlainText(observed: readonly Observed[], terms: ProbeTerms): Verdict {
  return judgeReplies('Asked for a short text', observed, terms, problemOfText);
}

/** What speaks against a reply that should be a text. */
export function problemOfText({ content, finishReason, outputBytes }: ProbeReply): string | undefined {
  if (finishReason === 'content_filter') return 'it answered with finish_reason "content_filter"';
  // What a decoder puts in the place of broken bytes; no answer to these questions holds it.
  if (content?.includes('\uFFFD')) return 'its reply held bytes that are not UTF-8';
  if (finishReason === 'tool_calls') return 'it answered with a tool call';
  // A model that thinks first may have come to its limit before it answered.
  const isEmpty = finishReason === 'length' ? outputBytes === 0 : (content ?? '').trim() === '';
  return isEmpty ? 'its reply was empty' : undefined;
}
