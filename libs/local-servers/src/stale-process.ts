import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandLineOf, identityOf, isAlive } from './process-identity';
import type { ProcessIdentity } from './process-identity';
import { becomesTrue } from './wait';

/** How a process is ended: the signal it takes for an orderly stop, and how long that may take. */
export interface StopManner {
  stopSignal: NodeJS.Signals;
  stopGraceMs: number;
}

/** Writes down which process is running, so that a later start can find and end it if its parent was killed. */
export function recordProcess(pidFile: string, pid: number, { stopSignal, stopGraceMs }: StopManner): void {
  const identity = identityOf(pid);
  if (identity === undefined) return;
  writeFileSync(pidFile, `${JSON.stringify({ ...identity, stopSignal, stopGraceMs })}\n`);
}

/**
 * The process a pid file names, if it is still that very process: same pid, same start time, and `marker` (its data
 * directory or its script) on its command line. Anything else with that pid is a stranger and is left alone.
 */
function recordedProcess(pidFile: string, marker: string): ProcessIdentity | undefined {
  let recorded: Partial<ProcessIdentity>;
  try {
    recorded = JSON.parse(readFileSync(pidFile, 'utf8')) as Partial<ProcessIdentity>;
  } catch {
    return undefined;
  }
  if (typeof recorded.pid !== 'number') return undefined;
  const now = identityOf(recorded.pid);
  if (now === undefined || now.startedAt !== recorded.startedAt) return undefined;
  return commandLineOf(now.pid)?.includes(marker) === true ? now : undefined;
}

/**
 * Ends a process that outlived its killed parent: `signal` first, SIGKILL after `graceMs`.
 * @returns its pid, or undefined when there was none.
 */
export async function endStaleProcess(
  pidFile: string,
  marker: string,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<number | undefined> {
  const stale = recordedProcess(pidFile, marker);
  if (stale !== undefined) await endProcess(stale.pid, signal, graceMs);
  rmSync(pidFile, { force: true });
  return stale?.pid;
}

/** Signals a process and waits until it is gone; SIGKILL after `graceMs`. */
export async function endProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  send(pid, signal);
  if (await becomesTrue(() => !isAlive(pid), graceMs)) return;
  send(pid, 'SIGKILL');
  await becomesTrue(() => !isAlive(pid), 5_000);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
