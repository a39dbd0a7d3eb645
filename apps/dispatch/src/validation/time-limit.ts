import { Script, createContext } from 'node:vm';

/** Work that got less of the processor's time than this share of the limit has not had it, and is done once more, … */
const LEAST_WORKED_SHARE = 0.9;
/** … with this many times the limit: enough for whoever shares the processor with two others. */
const SECOND_RUN = 3;

const sandbox: { work: (() => void) | undefined } = { work: undefined };
const context = createContext(sandbox);
const script = new Script('work()');

/** Thrown when the work was stopped at its limit. */
export class TimeLimitError extends Error {
  /** @param stoodStill the thread was not run for all that time: what the work would have taken is not known */
  constructor(readonly stoodStill: boolean) {
    super();
  }
}

/**
 * Runs synchronous work and stops it in its middle when it takes too long; regular expressions too. For work whose length a
 * client decides, such as matching against a JSON Schema of its own making. Costs some 100 µs. The work may be run twice:
 * time in which this thread stood still is not held against it, unless it stands still each time.
 * @throws TimeLimitError, and what the work throws
 */
export function withTimeLimit<T>(timeLimitMs: number, work: () => T): T {
  const leastMs = timeLimitMs * LEAST_WORKED_SHARE;
  try {
    return run(timeLimitMs, leastMs, work);
  } catch (error) {
    if (!(error instanceof TimeLimitError) || !error.stoodStill) throw error;
    return run(timeLimitMs * SECOND_RUN, leastMs, work);
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

function run<T>(timeLimitMs: number, leastMs: number, work: () => T): T {
  const workedMs = workClock();
  let result: { value: T } | undefined;
  sandbox.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: timeLimitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TimeLimitError(workedMs() < leastMs);
  } finally {
    sandbox.work = undefined;
  }
  if (!result) throw new TimeLimitError(false);
  return result.value;
}
