import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import { ProbeInterruptedError } from '../probe-interrupted.error';
import type { Examination, Probe, ProbeTerms, Question, Verdict } from './probe';
import { failed, passed } from './probe';
import { userSays } from './questions';
import { whatCame } from './what-came';

/** Asked many times at once: short to answer. */
export const SHORT_STREAM: Question = {
  body: userSays('Count from 1 to 20 in digits, separated by commas and spaces. Write nothing else.'),
  maxTokens: 4,
  stream: true,
  once: true,
  exactly: true,
};
/** Long enough for requests that are served at once to meet; what waits in a queue begins when another has ended. */
const STEP_STREAM: Question = { ...SHORT_STREAM, maxTokens: 32 };
/** How much later than the first of its step a reply may begin, whatever others do: prompts are read one after the other. */
const LATEST_START_MS = 750;
/** A step that did not hold is tried once more: one of many requests may have met a hiccup. */
const TRIES = 2;
const PAUSE_MS = 250;
const CAPACITY_TRIES = 8;
const CAPACITY_PAUSE_MS = 1_000;

/** How many requests at once it serves: 1, 2, 4 … up to what the offer says, until one step does not hold. */
export const concurrency: Probe = {
  async run(examination) {
    const { terms } = examination;
    const sizes = stepsUpTo(terms.concurrency);
    const { reached, held, broken } = await climb(examination, sizes);
    if (held) return judgeConcurrency(held, undefined, terms);
    return descend(examination, sizes.slice(0, reached), broken);
  },
};

/** How far short replies at once lead. */
interface Climb {
  /** How many steps were done. */
  reached: number;
  /** The last step, if it was reached and held. */
  held?: ProbeObservation[];
  /** The step that did not hold. */
  broken?: ProbeObservation[];
}

/** Short replies tell most; longer ones are looked at where short ones could be of a queue, and for the last step. */
async function climb(examination: Examination, sizes: readonly number[]): Promise<Climb> {
  for (const [reached, size] of sizes.entries()) {
    const isLast = reached === sizes.length - 1;
    const short = isLast ? undefined : await triedStep(examination, SHORT_STREAM, size);
    if (!isLast && (!short || !allServed(short, examination.terms))) return { reached, broken: short };
    if (short && !isQueued(short)) continue;
    const long = await triedStep(examination, STEP_STREAM, size);
    if (!long || !holds(long, examination.terms)) return { reached, broken: long };
    if (isLast) return { reached, held: long };
  }
  return { reached: sizes.length };
}

/** The largest step that holds for longer replies as well. */
async function descend(
  examination: Examination,
  sizes: readonly number[],
  broken: ProbeObservation[] | undefined,
): Promise<Verdict> {
  let smallestBroken = broken;
  for (const size of sizes.toReversed()) {
    const step = await triedStep(examination, STEP_STREAM, size);
    if (step && holds(step, examination.terms))
      return judgeConcurrency(step, smallestBroken, examination.terms);
    smallestBroken = step ?? smallestBroken;
  }
  if (!smallestBroken) throw new ProbeInterruptedError('no_capacity');
  return judgeConcurrency([], smallestBroken, examination.terms);
}

/** 1, 2, 4 … and the number itself at the end. */
export function stepsUpTo(most: number): number[] {
  const steps: number[] = [];
  for (let size = 1; size < most; size *= 2) steps.push(size);
  return [...steps, most];
}

export function allServed(step: readonly ProbeObservation[], { reasoning }: ProbeTerms): boolean {
  // So few tokens may all be thoughts.
  const mayBeSilent = ({ finishReason }: ProbeReply) => reasoning && finishReason === 'length';
  return step.every(({ reply }) => reply && (reply.outputBytes > 0 || mayBeSilent(reply)));
}

/**
 * A server that takes every request and lets some wait for the others: replies that began long after the first, when another had
 * come to its end already. With replies of usual length the last one would wait for many of those.
 */
function isQueued(step: readonly ProbeObservation[]): boolean {
  const begins = step.map(({ firstTokenMs, totalMs }) => firstTokenMs ?? totalMs);
  const [first, last] = [Math.min(...begins), Math.max(...begins)];
  return last > first + LATEST_START_MS && last > Math.min(...step.map(({ totalMs }) => totalMs));
}

function holds(step: readonly ProbeObservation[], terms: ProbeTerms): boolean {
  return allServed(step, terms) && !isQueued(step);
}

/** @returns undefined when the house had no room for `size` requests at once */
async function triedStep(
  examination: Examination,
  question: Question,
  size: number,
): Promise<ProbeObservation[] | undefined> {
  let step: ProbeObservation[] | undefined;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (attempt > 1) await examination.pause(PAUSE_MS);
    step = await roomForStep(examination, question, size);
    if (step === undefined || holds(step, examination.terms)) return step;
  }
  return step;
}

async function roomForStep(
  examination: Examination,
  question: Question,
  size: number,
): Promise<ProbeObservation[] | undefined> {
  for (let attempt = 1; attempt <= CAPACITY_TRIES; attempt++) {
    if (attempt > 1) await examination.pause(CAPACITY_PAUSE_MS);
    try {
      return await askAtOnce(examination, question, size);
    } catch (error) {
      if (!(error instanceof ProbeInterruptedError) || error.interruption !== 'no_capacity') throw error;
    }
  }
  return undefined;
}

/** Waits for all, also when one could not be asked: what follows must not meet the others. */
export async function askAtOnce(
  examination: Examination,
  question: Question,
  times: number,
): Promise<ProbeObservation[]> {
  const asked = await Promise.allSettled(Array.from({ length: times }, () => examination.ask(question)));
  return asked.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/**
 * @param held the largest step that held; empty when none did
 * @param broken the step after it, which did not hold; undefined when it was not tried
 */
export function judgeConcurrency(
  held: readonly ProbeObservation[],
  broken: readonly ProbeObservation[] | undefined,
  terms: ProbeTerms,
): Verdict {
  const slowest = held.map(({ firstTokenMs, totalMs }) => firstTokenMs ?? totalMs);
  const figures = { held: held.length, firstTokenMs: Math.round(Math.max(0, ...slowest)) };
  const asked = `Asked for ${broken?.length ?? terms.concurrency} replies at once`;
  const came = broken && whatCameOfStep(broken, terms);
  if (held.length === 0) {
    const unserved = broken?.find((observation) => !allServed([observation], terms));
    return failed(`${asked}, ${came ?? 'none came'}.`, figures, unserved);
  }
  if (held.length === terms.concurrency) return passed(figures);
  return passed(
    figures,
    `${asked}, ${came ?? 'the marketplace had no room to try'}; ${held.length} of ${terms.concurrency} at once held.`,
  );
}

/** What speaks against a step that did not hold. */
function whatCameOfStep(step: readonly ProbeObservation[], terms: ProbeTerms): string {
  const unserved = step.filter((observation) => !allServed([observation], terms));
  const [first] = unserved;
  if (first) return `${whatCame(first, terms)}${unserved.length > 1 ? ` (${unserved.length} of them)` : ''}`;
  const last = Math.max(...step.map(({ firstTokenMs, totalMs }) => firstTokenMs ?? totalMs));
  return `it let some wait until others had ended (first token after ${Math.round(last)} ms)`;
}
