import type { ProbeObservation } from '@svc/contracts';
import { problemOfText } from './plain-text.probe';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { userSays } from './questions';
import { whatCame } from './what-came';

const BODY = userSays('Count from 1 to 200 in digits, separated by commas and spaces. Write nothing else.');
/** Enough to measure speed by, and little to wait for. */
const MAX_TOKENS = 24;
const LEAST_DELTAS = 2;
/** UTF-8 bytes a token has on average where nobody says how many there were. */
const BYTES_PER_TOKEN = 4;
const FASTEST = 1_000_000;

/** A text as a stream: in several pieces. Measures the time to the first token and the speed after it. */
export const streamText: Probe = {
  name: 'stream_text',
  async run(examination) {
    const observation = await examination.ask({ body: BODY, maxTokens: MAX_TOKENS, stream: true });
    return judgeStreamText(observation, examination.terms);
  },
};

export function judgeStreamText(observation: ProbeObservation, terms: ProbeTerms): Verdict {
  const asked = 'Asked for a text as a stream';
  const { reply } = observation;
  if (!reply) return failed(`${asked}, ${whatCame(observation, terms)}.`);
  const problem = problemOfText(reply);
  if (problem !== undefined) return failed(`${asked}, ${problem}.`);
  const deltas = deltasIn(observation.received);
  const figures = { deltas, ...speedOf(observation) };
  if (deltas >= LEAST_DELTAS) return passed(figures);
  return failed(`${asked}, the whole text of ${reply.outputBytes} bytes came in one piece.`, figures);
}

/** How many of a stream's events carry text; of as much of the stream as was kept. */
export function deltasIn(received: string): number {
  return received.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:') && carriesText(line.slice(5)))
    .length;
}

interface Chunk {
  choices?: { delta?: { content?: unknown; reasoning_content?: unknown } }[];
}

function carriesText(data: string): boolean {
  try {
    const delta = (JSON.parse(data) as Chunk | null)?.choices?.[0]?.delta;
    return [delta?.content, delta?.reasoning_content].some((text) => typeof text === 'string' && text !== '');
  } catch {
    // `[DONE]`, or where what was kept ends.
    return false;
  }
}

/** By the tokens it claims, as far as the bytes allow. */
function speedOf({ reply, firstTokenMs, totalMs }: ProbeObservation): {
  firstTokenMs: number;
  tokensPerSecond: number;
} {
  const { outputBytes = 0, usage } = reply ?? {};
  const counted = Math.ceil(outputBytes / BYTES_PER_TOKEN);
  const tokens = Math.min(usage?.completionTokens ?? counted, outputBytes);
  const first = firstTokenMs ?? totalMs;
  const seconds = Math.max(totalMs - first, 1) / 1_000;
  const tokensPerSecond = Math.min(Math.max(tokens - 1, 0) / seconds, FASTEST);
  return { firstTokenMs: Math.round(first), tokensPerSecond: Math.round(tokensPerSecond * 10) / 10 };
}
