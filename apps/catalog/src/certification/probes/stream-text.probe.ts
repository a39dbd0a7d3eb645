import type { ProbeObservation } from '@svc/contracts';
import { problemOfText } from './plain-text.probe';
import type { Examination, Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { userSays } from './questions';
import { whatCame } from './what-came';

/** Where it is to begin counting, and how far. */
const MOST_FIRST = 800;
const NUMBERS = 200;
/** Enough to measure speed by, and little to wait for; more for a server that hands on what it writes by the dozen. */
const MAX_TOKENS = 48;
const MORE_TOKENS = 96;
const LEAST_DELTAS = 2;
/** What was written in less time may come in one piece: nobody would have seen its beginning much sooner. */
const ONE_PIECE_MS = 1_000;
/** A model that thinks may show so little of what it wrote that there is nothing to divide. */
const LITTLE_BYTES = 64;
/** UTF-8 bytes a token has on average where nobody says how many there were. */
const BYTES_PER_TOKEN = 4;
const FASTEST = 1_000_000;

/** A text as a stream: in several pieces. Measures the time to the first token and the speed after it. */
export const streamText: Probe = {
  async run(examination) {
    const first = 1 + examination.draw.below(MOST_FIRST);
    const body = userSays(
      `Count from ${first} to ${first + NUMBERS - 1} in digits, separated by commas and spaces. Write nothing else.`,
    );
    const ask = (maxTokens: number) => examination.ask({ body, maxTokens, stream: true, exactly: true });
    const few = await ask(MAX_TOKENS);
    const isInOnePiece = few.reply && deltasIn(few.received) < LEAST_DELTAS;
    return judgeStreamText(
      isInOnePiece ? await ask(MORE_TOKENS) : few,
      examination.terms,
      beginningMs(examination),
    );
  },
};

/** About how long the endpoint takes before it writes. */
function beginningMs(examination: Pick<Examination, 'figuresOf'>): number {
  return examination.figuresOf('plain_text')?.plainMs ?? 0;
}

/** @param beforeMs how long it took at most before it began to write */
export function judgeStreamText(observation: ProbeObservation, terms: ProbeTerms, beforeMs = 0): Verdict {
  const asked = 'Asked for a text as a stream';
  const { reply } = observation;
  if (!reply) return failed(`${asked}, ${whatCame(observation, terms)}.`, {}, observation);
  const problem = problemOfText(reply, terms);
  if (problem !== undefined) return failed(`${asked}, ${problem}.`);
  const deltas = deltasIn(observation.received);
  const figures = { deltas, ...speedOf(observation, terms) };
  const isLittle = terms.reasoning && reply.outputBytes < LITTLE_BYTES;
  if (deltas >= LEAST_DELTAS || isLittle) return passed(figures);
  if (observation.totalMs - beforeMs < ONE_PIECE_MS) {
    return passed(figures, 'The text came in one piece, but so soon that nothing can be said against it.');
  }
  return failed(`${asked}, the whole text of ${reply.outputBytes} bytes came in one piece.`, figures);
}

/** How many of a stream's events carry text; of as much of the stream as was kept. */
export function deltasIn(received: string): number {
  return received.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:') && carriesText(line.slice(5)))
    .length;
}

interface Chunk {
  choices?: { delta?: { content?: unknown; reasoning_content?: unknown; reasoning?: unknown } }[];
}

function carriesText(data: string): boolean {
  try {
    const delta = (JSON.parse(data) as Chunk | null)?.choices?.[0]?.delta;
    return [delta?.content, delta?.reasoning_content, delta?.reasoning].some(
      // Of models that think, Mistral's write the content as a list of parts.
      (text) => (typeof text === 'string' && text !== '') || (Array.isArray(text) && text.length > 0),
    );
  } catch {
    // `[DONE]`, or where what was kept ends.
    return false;
  }
}

/**
 * By the tokens it claims, as far as the bytes allow; by the bytes alone where it may claim thoughts that nobody saw, and by its claim
 * for all the time that it took where nothing else was to be seen.
 */
function speedOf(
  { reply, firstTokenMs, totalMs }: ProbeObservation,
  { reasoning }: ProbeTerms,
): {
  firstTokenMs: number;
  tokensPerSecond: number;
} {
  const { outputBytes = 0, usage } = reply ?? {};
  if (reasoning && outputBytes === 0) {
    const thoughts = Math.min(usage?.completionTokens ?? 0, MORE_TOKENS);
    return {
      firstTokenMs: Math.round(totalMs),
      tokensPerSecond: Math.round((thoughts * 10_000) / totalMs) / 10,
    };
  }
  const counted = Math.ceil(outputBytes / BYTES_PER_TOKEN);
  const claimed = reasoning ? undefined : usage?.completionTokens;
  const tokens = Math.min(claimed ?? counted, outputBytes);
  const first = firstTokenMs ?? totalMs;
  const seconds = Math.max(totalMs - first, 1) / 1_000;
  const tokensPerSecond = Math.min(Math.max(tokens - 1, 0) / seconds, FASTEST);
  return { firstTokenMs: Math.round(first), tokensPerSecond: Math.round(tokensPerSecond * 10) / 10 };
}
