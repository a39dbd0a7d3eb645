import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';

/** Of every dispatch of the marketplace that specs share. */
export const QUEUE_PATIENCE_MS = '10000';

/** A marketplace started the way a user starts it. */
export interface LaunchedStack {
  process: ChildProcess;
  readyFile: string;
  /** Sends SIGTERM and resolves with the exit code when the supervisor has ended. */
  stop(): Promise<number | null>;
}

/**
 * Runs `npm start` with a state directory of its own and waits for `ready.json`.
 * @param stateDir below the workspace; emptied first unless `keepState`
 * @param options.arguments as on the command line, e.g. `--environment production`
 * @param options.environment variables
 * @throws Error with the last output when it ends before it is ready
 */
export async function launchStack(
  stateDir: string,
  options: { keepState?: boolean; environment?: Record<string, string>; arguments?: string[] } = {},
): Promise<LaunchedStack> {
  const directory = join(workspaceRoot, stateDir);
  const readyFile = join(directory, 'ready.json');
  if (!options.keepState) rmSync(directory, { recursive: true, force: true });
  rmSync(readyFile, { force: true });
  const child = spawn(process.execPath, ['tools/start.mjs', ...(options.arguments ?? [])], {
    cwd: workspaceRoot,
    env: { ...process.env, SVC_STATE_DIR: directory, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  let output = '';
  const ready = new Promise<void>((done, fail) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
      if (isReady(readyFile)) done();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) =>
      fail(new Error(`npm start ended with ${code} before it was ready:\n${output}`)),
    );
  });
  await ready;
  return {
    process: child,
    readyFile,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function isReady(readyFile: string): boolean {
  try {
    return Boolean((JSON.parse(readFileSync(readyFile, 'utf8')) as Ready).apiKey);
  } catch {
    return false;
  }
}
