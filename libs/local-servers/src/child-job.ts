import { lastLines } from './last-lines';
import { describeExit, spawnLogged } from './logged-child';
import type { LoggedChildOptions } from './logged-child';
import { endProcess, endStaleProcess } from './stale-process';

/** How to run a program that does something and ends. */
interface ChildJobOptions extends LoggedChildOptions {
  /** A text on the command line that only this job of this state directory has. */
  marker: string;
  /** Ends the job. */
  signal: AbortSignal;
}

/**
 * Runs a program to its end.
 * @throws Error with the last log lines when it ends with another code than 0; the abort reason when `signal` is
 *   aborted before. In each case the process is gone by then.
 */
export async function runChildJob(options: ChildJobOptions): Promise<void> {
  const { signal } = options;
  await endStaleProcess(options.pidFile, options.marker, options.stopSignal, options.stopGraceMs);
  signal.throwIfAborted();
  const job = await spawnLogged(options);
  const cancel = (): void => {
    void endProcess(job.pid, options.stopSignal, options.stopGraceMs);
  };
  signal.addEventListener('abort', cancel);
  const exit = await job.exited;
  signal.removeEventListener('abort', cancel);
  signal.throwIfAborted();
  if (exit.code === 0) return;
  throw new Error(
    `${options.name} failed with ${describeExit(exit)}. Log ${options.logFile} ends:\n${lastLines(options.logFile, 15, job.logStart)}`,
  );
}
