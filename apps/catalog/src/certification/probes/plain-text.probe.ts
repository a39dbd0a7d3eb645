import type { PingedEndpoint, ProbeObservation, ProbeReply } from '@svc/contracts';
import { judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Examination, Probe, ProbeTerms, Verdict } from './probe';
import { failed } from './probe';
import { ROOM_TO_ANSWER, drawWords, userSays } from './questions';
import { whatCame } from './what-came';

const WORDS = 3;
const PINGS = 3;
const PING_PAUSE_MS = 1_000;

/** A short text, in one piece: not empty. And the sign of life that heartbeats will ask for. */
export const plainText: Probe = {
  async run(examination) {
    const body = userSays(
      `Reply with exactly "${drawWords(examination.draw, WORDS).join(' ')}" and nothing else.`,
    );
    const observation = await examination.ask({ body, maxTokens: ROOM_TO_ANSWER, stream: false });
    const verdict = judgePlainText([{ stream: false, observation }], examination.terms);
    return verdict.passed
      ? judgeSignOfLife(await lastPing(examination), verdict, examination.terms)
      : verdict;
  },
};

export function judgePlainText(observed: readonly Observed[], terms: ProbeTerms): Verdict {
  return judgeReplies('Asked for a short text', observed, terms, (reply) => problemOfText(reply, terms));
}

/** As many tries as heartbeats may miss. */
async function lastPing(examination: Examination): Promise<PingedEndpoint> {
  let pinged = await examination.ping();
  for (let count = 1; count < PINGS && !pinged.alive; count++) {
    await examination.pause(PING_PAUSE_MS);
    pinged = await examination.ping();
  }
  return pinged;
}

/** @param verdict on all else */
function judgeSignOfLife(
  { alive, status, reason = 'status_5xx', ms }: PingedEndpoint,
  verdict: Verdict,
  terms: ProbeTerms,
): Verdict {
  if (alive) return verdict;
  const observation: ProbeObservation = {
    outcome: 'failed',
    failure: { kind: 'unavailable', reason },
    ...(status !== undefined && { status }),
    sent: '',
    received: '',
    receivedBytes: 0,
    totalMs: ms,
  };
  return failed(
    `Asked with GET /models for a sign of life, as it will be all the time (any status below 500 is one), ${whatCame(observation, terms)}.`,
    verdict.figures,
    observation,
  );
}

/** What speaks against a reply that should be a text. */
export function problemOfText(
  { content, finishReason, outputBytes }: ProbeReply,
  { reasoning }: ProbeTerms,
): string | undefined {
  if (finishReason === 'content_filter') return 'it answered with finish_reason "content_filter"';
  // What a decoder puts in the place of broken bytes; no answer to these questions holds it.
  if (content?.includes('\uFFFD')) return 'its reply held bytes that are not UTF-8';
  if (finishReason === 'tool_calls') return 'it answered with a tool call';
  // A model that thinks first may have come to its limit before it answered, and may keep its thoughts to itself.
  if (finishReason === 'length' && (outputBytes > 0 || reasoning)) return undefined;
  const isEmpty = (content ?? '').trim() === '';
  return isEmpty ? 'its reply was empty' : undefined;
}
