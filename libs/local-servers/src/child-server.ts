import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { lastLines } from './last-lines';
import { endStaleProcess, endProcess, recordProcess } from './stale-process';
import { pause } from './wait';

/** A running child process that serves something. */
export interface LocalServer {
  name: string;
  /** Where it listens, credentials included if it needs them. */
  url: string;
  pid: number;
  /** Resolves when the process has ended, whoever ended it. */
  exited: Promise<ServerExit>;
  /** Ends the process in its own orderly way, by force after a grace period. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How to run one server as a child process. */
export interface ChildServerOptions {
  name: string;
  url: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Both output streams are appended here. */
  logFile: string;
  pidFile: string;
  /** A text on the command line that only this server of this state directory has. */
  marker: string;
  /** Whether it answers. Asked until true; must itself be bounded in time. */
  isReady(): Promise<boolean>;
  readyTimeoutMs: number;
  stopSignal: NodeJS.Signals;
  stopGraceMs: number;
  uid?: number;
  gid?: number;
  /** Called with the pid as soon as the process exists, before it is ready. */
  onSpawn?: (pid: number) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
}

const largestLogBytes = 20 * 1024 * 1024;

/**
 * Starts a server and resolves once it answers. One left over from a killed parent is ended first.
 * The child leads a process group of its own: a Ctrl-C in the terminal reaches the parent only, which stops its
 * children in order.
 * @throws Error with the last log lines when it ends or does not answer within `readyTimeoutMs`.
 */
export async function startChildServer(options: ChildServerOptions): Promise<LocalServer> {
  await endStaleProcess(options.pidFile, options.marker, options.stopSignal, options.stopGraceMs);
  options.signal?.throwIfAborted();
  const child = spawnLogged(options);
  const exited = exitOf(child);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new Error(`${options.name} did not start: ${error.message}`);
  }
  recordProcess(options.pidFile, pid);
  options.onSpawn?.(pid);
  const server = toServer(options, pid, exited);
  try {
    await untilReady(options, exited);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function toServer(options: ChildServerOptions, pid: number, exited: Promise<ServerExit>): LocalServer {
  let running = true;
  let stopping: Promise<void> | undefined;
  const ended = exited.then((exit) => {
    running = false;
    rmSync(options.pidFile, { force: true });
    return exit;
  });
  const stop = async (): Promise<void> => {
    if (running) await endProcess(pid, options.stopSignal, options.stopGraceMs);
    await ended;
  };
  return { name: options.name, url: options.url, pid, exited: ended, stop: () => (stopping ??= stop()) };
}

function spawnLogged(options: ChildServerOptions): ChildProcess {
  mkdirSync(dirname(options.logFile), { recursive: true });
  mkdirSync(dirname(options.pidFile), { recursive: true });
  rotate(options.logFile);
  const log = openSync(options.logFile, 'a');
  try {
    return spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', log, log],
      detached: true,
      uid: options.uid,
      gid: options.gid,
    });
  } finally {
    closeSync(log);
  }
}

function exitOf(child: ChildProcess): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    // A command that cannot be started emits 'error' and never 'exit'.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

async function untilReady(options: ChildServerOptions, exited: Promise<ServerExit>): Promise<void> {
  let exit: ServerExit | undefined;
  void exited.then((value) => {
    exit = value;
  });
  const deadline = performance.now() + options.readyTimeoutMs;
  for (;;) {
    if (exit !== undefined) throw startError(options, `ended with ${describeExit(exit)} before it answered`);
    options.signal?.throwIfAborted();
    if (await options.isReady()) return;
    if (performance.now() > deadline) {
      throw startError(options, `did not answer within ${options.readyTimeoutMs} ms`);
    }
    await pause(25);
  }
}

/** "code 1" or "signal SIGKILL", for a message. */
export function describeExit(exit: ServerExit): string {
  return exit.signal === null ? `code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
}

function startError(options: ChildServerOptions, what: string): Error {
  const tail = lastLines(options.logFile, 15);
  return new Error(
    `${options.name} ${what}. Log ${options.logFile} ends:\n${tail === '' ? '  (empty)' : tail}`,
  );
}

/** Keeps one former log file once the current one has grown past its limit. */
function rotate(logFile: string): void {
  try {
    if (statSync(logFile).size > largestLogBytes) renameSync(logFile, `${logFile}.1`);
  } catch {
    // There is no log yet.
  }
}
