import type { ProbeObservation } from '@svc/contracts';
import { SHORT_STREAM, allServed, askAtOnce } from './concurrency.probe';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { failed, passed } from './probe';
import { userSays } from './questions';
import { whatCame } from './what-came';

const LONG_BODY = userSays(
  'Count from 1 to 5000 in digits, separated by commas and spaces, without leaving any out.',
);
/** Long enough to fill its places for many seconds, if it goes on. */
const LONG_TOKENS = 4_096;
/** It may take a moment to notice that nobody listens any more. */
const TRIES = 3;
const PAUSE_MS = 500;
/** How much longer than before the first token may take, now that places have just become free. */
const SLOWER = 3;
const SLACK_MS = 1_000;
/** A server that is not there any more; one that is merely full shows what is looked for. */
const GONE: ReadonlySet<string> = new Set(['connect_failed', 'connection_lost']);

/**
 * Whether it stops generating when nobody listens any more: all its places are filled with long streams, which are hung up on after
 * their first token. As many new requests must be served as soon as before.
 */
export const disconnect: Probe = {
  async run(examination) {
    const { terms } = examination;
    const before = examination.figuresOf('concurrency');
    const places = before?.held ?? 1;
    const limitMs = (before?.firstTokenMs ?? terms.firstTokenTimeoutMs) * SLOWER + SLACK_MS;
    const long = {
      body: LONG_BODY,
      maxTokens: Math.min(LONG_TOKENS, terms.maxOutputTokens),
      stream: true,
      until: 'first_token',
      once: true,
      exactly: true,
    } as const;
    await askAtOnce(examination, long, places);
    let fresh: ProbeObservation[] = [];
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      if (attempt > 1) await examination.pause(PAUSE_MS);
      fresh = await askAtOnce(examination, SHORT_STREAM, places);
      if (judgeDisconnect(fresh, limitMs, terms).passed) break;
    }
    return judgeDisconnect(fresh, limitMs, terms);
  },
};

/** @param limitMs how long the first token of a new request may take */
export function judgeDisconnect(
  fresh: readonly ProbeObservation[],
  limitMs: number,
  terms: ProbeTerms,
): Verdict {
  const slowest = Math.round(
    Math.max(0, ...fresh.map(({ firstTokenMs, totalMs }) => firstTokenMs ?? totalMs)),
  );
  const figures = { places: fresh.length, firstTokenMs: slowest };
  const asked =
    `After ${fresh.length === 1 ? 'a long stream was' : `${fresh.length} long streams were`} hung up on, ` +
    `asked for as many new replies`;
  const refused = fresh.find((observation) => !allServed([observation], terms));
  if (refused) {
    const isGone = GONE.has(refused.failure?.reason ?? '');
    const conclusion = isGone ? '' : ': it goes on generating for nobody';
    return failed(
      `${asked}, ${whatCame(refused, terms)}${conclusion}.`,
      figures,
      isGone ? refused : undefined,
    );
  }
  if (slowest <= limitMs) return passed(figures);
  return failed(
    `${asked}, the first token took ${slowest} ms instead of at most ${Math.round(limitMs)} ms: ` +
      'it goes on generating for nobody.',
    figures,
  );
}
