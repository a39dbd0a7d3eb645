import { Script, createContext } from 'node:vm';

/** Of the time, a thread that is run at all is given at least so much; else the work has not had it, and is done again, … */
const LEAST_WORKED_SHARE = 0.5;
/** … so often in all. */
const MOST_RUNS = 3;

const sandbox: { work: (() => void) | undefined } = { work: undefined };
const context = createContext(sandbox);
const script = new Script('work()');

/** Thrown when the work was stopped at its limit. */
export class TimeLimitError extends Error {
  /** The thread stood still for most of the time: what the work would have taken is not known. */
  stoodStill = false;
}

/**
 * Runs synchronous work and stops it in its middle when it takes too long; regular expressions too. For work whose length a
 * client decides, such as matching against a JSON Schema of its own making. Costs some 100 µs. The work may be run more than once:
 * time in which this thread stood still is not held against it, unless it stands still each time.
 * @throws TimeLimitError, and what the work throws
 */
export function withTimeLimit<T>(timeLimitMs: number, work: () => T): T {
  for (let runs = 1; ; runs++) {
    const workedMs = workClock();
    try {
      return runOnce(timeLimitMs, work);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      error.stoodStill = workedMs() < timeLimitMs * LEAST_WORKED_SHARE;
      if (!error.stoodStill || runs === MOST_RUNS) throw error;
    }
  }
}

/**
 * Begins to count what this thread works: milliseconds of the processor's time. Node before version 23.9 tells that of the whole process only,
 * so that it is more there beside busy threads, but never more than has passed.
 */
export function workClock(): () => number {
  const startedMs = performance.now();
  const before = cpuUsage();
  return () => {
    const { user, system } = cpuUsage(before);
    return Math.min((user + system) / 1_000, performance.now() - startedMs);
  };
}

function cpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  const { threadCpuUsage } = process as Partial<NodeJS.Process>;
  return threadCpuUsage ? threadCpuUsage(before) : process.cpuUsage(before);
}

function runOnce<T>(timeLimitMs: number, work: () => T): T {
  let result: { value: T } | undefined;
  sandbox.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: timeLimitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeLimitError();
    throw error;
  } finally {
    sandbox.work = undefined;
  }
  if (!result) throw new TimeLimitError();
  return result.value;
}
