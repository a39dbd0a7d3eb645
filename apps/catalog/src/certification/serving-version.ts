import type { ProbeName } from '../certification-queue/probe-names';
import type { RunJob } from './certification-run.store';
import { ProbeInterruptedError } from './probe-interrupted.error';
import { passed } from './probes/probe';
import type { Verdict } from './probes/probe';

/** What fills all the places an endpoint has. */
export const CAPACITY_PROBES: readonly ProbeName[] = ['concurrency', 'disconnect'];
/** How often a run of a version that serves waits for a calmer moment. */
const BUSY_TIMES = 3;

/**
 * Whether a request that met a busy endpoint says nothing of it: it serves clients while it is probed.
 * @param servesClients whether requests of clients have succeeded since the run began
 */
export function givesWay(
  { kind, isServing, busyTimes }: RunJob,
  name: ProbeName,
  servesClients: () => boolean,
): boolean {
  if (kind === 'canary') return true;
  if (!isServing) return false;
  return busyTimes < BUSY_TIMES || (!CAPACITY_PROBES.includes(name) && servesClients());
}

/**
 * Of a version that serves, probes of capacity compete with clients: where they fall short of what was certified they are done again
 * at calmer moments, and where none comes what was certified stands. Should it hold no more, real requests will tell.
 * @throws ProbeInterruptedError
 */
export function spareServing(
  { kind, isServing, busyTimes, certified, offer }: RunJob,
  name: ProbeName,
  verdict: Verdict,
): Verdict {
  if (kind !== 'full' || !isServing || !certified || !CAPACITY_PROBES.includes(name)) return verdict;
  const stands = Math.min(certified.concurrency, offer.terms.concurrency);
  const isLess = name === 'concurrency' && (verdict.figures.held ?? 0) < stands;
  if (verdict.passed && !isLess) return verdict;
  if (busyTimes < BUSY_TIMES) throw new ProbeInterruptedError('busy');
  const figures = { ...verdict.figures, ...(isLess && { held: stands }) };
  return passed(figures, `${verdict.message ?? ''} It serves clients meanwhile: what was certified stands.`);
}
