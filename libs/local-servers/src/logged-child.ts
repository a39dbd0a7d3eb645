import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { keepTurningOver, turnOver } from './log-turnover';
import { recordProcess } from './stale-process';
import type { StopManner } from './stale-process';

/** How to run a program as a recorded, logged child. */
export interface LoggedChildOptions extends StopManner {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Both output streams are appended here; turned over when it has grown too large. */
  logFile: string;
  /** Holds the child's identity while it runs. */
  pidFile: string;
  uid?: number;
  gid?: number;
}

export interface LoggedChild {
  pid: number;
  /** Resolves when the process has ended, whoever ended it. */
  exited: Promise<ProcessExit>;
  /** The log file's size before this process wrote to it. */
  logStart: number;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Starts a program with its output in a log file and its identity in a pid file. It leads a process group of its own:
 * a Ctrl-C in the terminal reaches the parent only, which ends its children in order.
 * @throws Error when the program cannot be started at all, or not recorded: then it is gone
 */
export async function spawnLogged(options: LoggedChildOptions): Promise<LoggedChild> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  mkdirSync(dirname(options.pidFile), { recursive: true });
  turnOver(options.logFile);
  const logStart = sizeOf(options.logFile);
  const child = spawnIntoLog(options);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new Error(`${options.name} did not start: ${error.message}`);
  }
  const endTurningOver = keepTurningOver(options.logFile);
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => {
      endTurningOver();
      rmSync(options.pidFile, { force: true });
      resolve({ code, signal });
    });
  });
  try {
    recordProcess(options.pidFile, pid, options);
  } catch (error) {
    // Without a record nobody would find it, should this process be killed.
    child.kill('SIGKILL');
    await exited;
    throw error;
  }
  return { pid, exited, logStart };
}

/** "code 1" or "signal SIGKILL", for a message. */
export function describeExit(exit: ProcessExit): string {
  return exit.signal === null ? `code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
}

function spawnIntoLog(options: LoggedChildOptions): ChildProcess {
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

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
