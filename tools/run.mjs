import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { onStopSignal } from './stop-signals.mjs';

/** Process groups under way, so that a signal to this process ends them with everything they started. */
const running = new Set();

/**
 * Runs a command to its end in a process group of its own.
 * @param options.showErrors its standard error, where jest reports, goes to the terminal; all else is kept and returned
 * @returns {Promise<{ code: number, output: string }>} the code is 1 for a command ended by a signal
 */
export function run(command, args, { cwd, env, showErrors = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', showErrors ? 'inherit' : 'pipe'],
      detached: true,
    });
    running.add(child);
    const parts = [];
    child.stdout.on('data', (data) => parts.push(data));
    child.stderr?.on('data', (data) => parts.push(data));
    child.once('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output: Buffer.concat(parts).toString('utf8') });
    });
  });
}

/** As {@link run}, but another code than 0 is an Error that holds the output. */
export async function runOrThrow(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with code ${code}\n${output.trimEnd()}`);
}

/** For a tool that has nothing else to put in order: a signal ends what it runs, then itself. */
export function endOnSignal() {
  onStopSignal((signal) => {
    endRunning(signal);
    process.exit(128 + constants.signals[signal]);
  });
}

/** Ends every command under way together with its children. */
export function endRunning(signal = 'SIGTERM') {
  for (const child of running) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
}
