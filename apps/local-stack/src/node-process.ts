import { join } from 'node:path';
import { runChildJob, startChildServer } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import type { ProcessVariables } from './service-environment';
import type { StackPaths } from './stack.config';

/** Beyond the grace that a process grants itself, so that force comes only to one that hangs. */
const forceMarginMs = 5_000;
const readyTimeoutMs = 90_000;

/**
 * A service makes many objects that live for one request. With V8's own 16 MB for the young, a quarter of billing's time at full load went
 * into clearing it; with its own first limit for the old (some 30 MB), dispatch collected everything three times a second in some runs;
 * and where optimised code took the objects of a request for lasting ones, as happened in some runs too, the gateway's requests outlived
 * theirs. Helpers for clearing the young find the processors taken by the other services. And where a process that rests is tidied up, the
 * shapes of what requests are made of go, as none is there then, and the code that was compiled for them with these: see
 * docs/performance-notes.md.
 */
export const nodeFlags = [
  '--max-semi-space-size=64',
  '--initial-old-space-size=128',
  '--no-allocation-site-pretenuring',
  '--no-parallel-scavenge',
  '--no-memory-reducer',
];

export const readyPath = '/health/ready';

/** One of the project's apps, run as a process of its own. */
interface NodeProcess {
  /** Names the log and the pid file. */
  name: string;
  /** The folder below `apps/`, and the script in its `dist`; `main.js` unless told. */
  app: string;
  script?: string;
  args?: readonly string[];
  env: ProcessVariables;
}

/** An app that serves, and when it counts as started. */
interface ServiceProcess extends NodeProcess {
  port: number;
  /** Must answer 200; `/health/ready` unless told. */
  readyPath?: string;
}

/** Starts an app that serves. */
export function launchService(
  paths: StackPaths,
  service: ServiceProcess,
  signal: AbortSignal,
): Promise<LocalServer> {
  const url = `http://127.0.0.1:${service.port}`;
  return startChildServer({
    ...childOptions(paths, service),
    url,
    isReady: () => answersOk(url + (service.readyPath ?? readyPath)),
    readyTimeoutMs,
    signal,
  });
}

/** Runs an app that does something and ends. */
export function runJob(paths: StackPaths, job: NodeProcess, signal: AbortSignal): Promise<void> {
  return runChildJob({ ...childOptions(paths, job), signal });
}

function childOptions(
  paths: StackPaths,
  { name, app, script: file = 'main.js', args = [], env }: NodeProcess,
) {
  const script = join(paths.root, 'apps', app, 'dist', file);
  return {
    name,
    command: process.execPath,
    args: [...nodeFlags, script, ...args],
    env,
    cwd: paths.root,
    logFile: join(paths.logs, `${name}.log`),
    pidFile: join(paths.run, `${name}.pid`),
    marker: script,
    stopSignal: 'SIGTERM' as const,
    stopGraceMs: Number(env.SHUTDOWN_GRACE_MS) + forceMarginMs,
  };
}

/** Whether a GET answers 200 within 2 s. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
