import { lastLines } from './last-lines';
import { describeExit, spawnLogged } from './logged-child';
import type { LoggedChild, LoggedChildOptions, ProcessExit } from './logged-child';
import { endProcess, endStaleProcess } from './stale-process';
import { pause } from './wait';

/** A running child process that serves something. */
export interface LocalServer extends LoggedChild {
  name: string;
  /** Where it listens, credentials included if it needs them. */
  url: string;
  /** Ends the process in its own orderly way, by force after a grace period. Safe to call twice. */
  stop(): Promise<void>;
}

/** How to run one server as a child process. */
interface ChildServerOptions extends LoggedChildOptions {
  url: string;
  /** A text on the command line that only this server of this state directory has. */
  marker: string;
  /** Whether it answers. Asked until true; must itself be bounded in time. */
  isReady(): Promise<boolean>;
  readyTimeoutMs: number;
  /** Called with the pid as soon as the process exists, before it is ready. */
  onSpawn?: (pid: number) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
}

/**
 * Starts a server and resolves once it answers. One left over from a killed parent is ended first.
 * @throws Error with the last log lines when it ends or does not answer within `readyTimeoutMs`; the abort reason when
 *   `signal` is aborted before. In each case the process is gone by then.
 */
export async function startChildServer(options: ChildServerOptions): Promise<LocalServer> {
  await endStaleProcess(options.pidFile, options.marker, options.stopSignal, options.stopGraceMs);
  options.signal?.throwIfAborted();
  const child = await spawnLogged(options);
  const server = toServer(options, child);
  options.onSpawn?.(child.pid);
  try {
    await untilReady(options, child);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function toServer(options: ChildServerOptions, child: LoggedChild): LocalServer {
  const { name, url } = options;
  let running = true;
  let stopping: Promise<void> | undefined;
  const exited = child.exited.then((exit) => {
    running = false;
    return exit;
  });
  const stop = async (): Promise<void> => {
    if (running) await endProcess(child.pid, options.stopSignal, options.stopGraceMs);
    await exited;
  };
  return { ...child, name, url, exited, stop: () => (stopping ??= stop()) };
}

async function untilReady(options: ChildServerOptions, child: LoggedChild): Promise<void> {
  let exit: ProcessExit | undefined;
  void child.exited.then((value) => {
    exit = value;
  });
  const deadline = performance.now() + options.readyTimeoutMs;
  for (;;) {
    if (exit !== undefined)
      throw startError(options, child, `ended with ${describeExit(exit)} before it answered`);
    options.signal?.throwIfAborted();
    if (await options.isReady()) return options.signal?.throwIfAborted();
    if (performance.now() > deadline) {
      throw startError(options, child, `did not answer within ${options.readyTimeoutMs} ms`);
    }
    await pause(25);
  }
}

function startError(options: ChildServerOptions, child: LoggedChild, what: string): Error {
  return new Error(
    `${options.name} ${what}. Log ${options.logFile} ends:\n${lastLines(options.logFile, 15, child.logStart)}`,
  );
}
