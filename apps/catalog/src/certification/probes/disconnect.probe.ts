import type { FailureReason, ProbeObservation } from '@svc/contracts';
import { SHORT_STREAM, allServed, askAtOnce } from './concurrency.probe';
import { failedFor } from './failed-for';
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
/** Before it is filled again: as long as it may take to notice in all, as streams of the try before were hung up on as well. */
const REFILL_PAUSE_MS = TRIES * PAUSE_MS;
/** How much longer than before the first token may take, now that places have just become free. */
const SLOWER = 3;
const SLACK_MS = 1_000;
/** A server that is not there any more; one that is merely full shows what is looked for. */
const GONE: ReadonlySet<FailureReason> = new Set(['connect_failed', 'connection_lost']);

/** It had the request until it was hung up on: its place was taken as by a stream that had begun. */
const KEPT_WAITING: ReadonlySet<FailureReason> = new Set([
  'first_token_timeout',
  'chunk_timeout',
  'total_timeout',
]);

/**
 * Whether it stops generating when nobody listens any more: all its places are filled with long streams, which are hung up on after
 * their first token. As many new requests must be served as soon as before. Who refuses long streams has shown nothing.
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
    const fill = () => askAtOnce(examination, long, places);
    const begun = await tried(
      fill,
      (streams) => !streams.some(isRefused),
      () => examination.pause(REFILL_PAUSE_MS),
    );
    const refused = begun.find(isRefused);
    if (refused) return judgeRefused(refused, places, terms);
    const askAnew = () => askAtOnce(examination, SHORT_STREAM, places);
    const judge = (fresh: ProbeObservation[]) => judgeDisconnect(fresh, limitMs, terms);
    return judge(
      await tried(
        askAnew,
        (fresh) => judge(fresh).passed,
        () => examination.pause(PAUSE_MS),
      ),
    );
  },
};

/** @returns what came of the first try that will do; else of the last */
async function tried(
  ask: () => Promise<ProbeObservation[]>,
  willDo: (observations: ProbeObservation[]) => boolean,
  rest: () => Promise<void>,
): Promise<ProbeObservation[]> {
  for (let attempt = 1; ; attempt++) {
    const observations = await ask();
    if (attempt === TRIES || willDo(observations)) return observations;
    await rest();
  }
}

function isRefused(observation: ProbeObservation): boolean {
  return observation.failure !== undefined && !failedFor(observation, KEPT_WAITING);
}

function judgeRefused(refused: ProbeObservation, places: number, terms: ProbeTerms): Verdict {
  const asked = places === 1 ? 'a long stream' : `${places} long streams at once`;
  return failed(
    `Asked for ${asked}, to hang up on after the first token, ${whatCame(refused, terms)}: ` +
      'whether it goes on generating for nobody could not be seen.',
    { places },
    refused,
  );
}

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
    const isGone = failedFor(refused, GONE);
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
