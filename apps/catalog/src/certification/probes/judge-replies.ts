import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import type { Examination, Figures, ProbeTerms, Question, Verdict } from './probe';
import { failed, passed } from './probe';
import { whatCame } from './what-came';

/** An observation, and whether a stream was asked for. */
export interface Observed {
  readonly stream: boolean;
  readonly observation: ProbeObservation;
}

/**
 * Asks the same twice at once: for a reply in one piece, and for a stream; once where replies in one piece take too long, and clients
 * will be served by streams.
 */
export function askBothWays(
  examination: Examination,
  question: Omit<Question, 'stream'>,
): Promise<Observed[]> {
  const isStreamed = (examination.figuresOf('plain_text')?.streamedInstead ?? 0) > 0;
  return Promise.all(
    (isStreamed ? [true] : [false, true]).map(async (stream) => ({
      stream,
      observation: await examination.ask({ ...question, stream }),
    })),
  );
}

/**
 * Passed when every reply came and nothing speaks against it.
 * @param asked the beginning of the message, e.g. `Asked for a short text`
 * @param problemOf what speaks against a reply, as the end of a sentence; undefined when nothing does
 */
export function judgeReplies(
  asked: string,
  observed: readonly Observed[],
  terms: ProbeTerms,
  problemOf: (reply: ProbeReply, observation: ProbeObservation) => string | undefined,
): Verdict {
  for (const { stream, observation } of observed) {
    const { reply } = observation;
    const problem = reply ? problemOf(reply, observation) : whatCame(observation, terms);
    if (problem !== undefined)
      return failed(`${asked}${stream ? ' as a stream' : ''}, ${problem}.`, timesOf(observed), observation);
  }
  return passed(timesOf(observed));
}

/** How long the replies took, ms. */
function timesOf(observed: readonly Observed[]): Figures {
  return Object.fromEntries(
    observed.map(({ stream, observation }) => [
      stream ? 'streamMs' : 'plainMs',
      Math.round(observation.totalMs),
    ]),
  );
}
