import { join } from 'node:path';
import { freePort, startChildServer, workspaceRoot } from '@svc/local-servers';
import type { LocalServer, ProcessExit } from '@svc/local-servers';

interface BillingLaunch {
  /** Of this instance: its pid file and log. */
  readonly name: string;
  readonly directory: string;
  readonly env: Record<string, string>;
  /** The point at which the process kills itself. */
  readonly failpoint?: string | undefined;
}

/** Billing as it is run in earnest: the built program in a process of its own. */
export class BillingProcess {
  /** How it ended, once it has. */
  exit: ProcessExit | undefined;

  private constructor(
    readonly url: string,
    private readonly server: LocalServer,
  ) {
    void server.exited.then((exit) => (this.exit = exit));
  }

  /**
   * Starts it and waits until it is ready.
   * @returns undefined when it killed itself before that, as its failpoint said
   */
  static async start({
    name,
    directory,
    env,
    failpoint,
  }: BillingLaunch): Promise<BillingProcess | undefined> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let started: LocalServer;
    try {
      started = await startChildServer({
        name,
        url,
        command: process.execPath,
        args: [
          '--enable-source-maps',
          join(workspaceRoot, 'apps/billing/dist/main.js'),
          `--instance=${directory}/${name}`,
        ],
        env: {
          PATH: process.env.PATH,
          LOG_LEVEL: 'warn',
          ...env,
          HTTP_PORT: String(port),
          ...(failpoint === undefined ? {} : { SVC_FAILPOINT: failpoint }),
        },
        cwd: workspaceRoot,
        logFile: join(directory, `${name}.log`),
        pidFile: join(directory, `${name}.pid`),
        marker: `${directory}/${name}`,
        isReady: () => isReady(url),
        readyTimeoutMs: 90_000,
        stopSignal: 'SIGTERM',
        stopGraceMs: 20_000,
      });
    } catch (error) {
      if (failpoint !== undefined && String(error).includes('SIGKILL')) return undefined;
      throw error;
    }
    return new BillingProcess(url, started);
  }

  /** Resolves when it has ended, whoever ended it. */
  get ended(): Promise<ProcessExit> {
    return this.server.exited;
  }

  get pid(): number {
    return this.server.pid;
  }

  /** As a power cut would end it. */
  async kill(): Promise<void> {
    if (this.exit === undefined) process.kill(this.pid, 'SIGKILL');
    await this.server.exited;
  }

  /** Holds it still, and lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, signal);
  }

  ready(): Promise<boolean> {
    return isReady(this.url);
  }

  /** In its own orderly way. */
  stop(): Promise<void> {
    return this.server.stop();
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) });
    return response.status === 200;
  } catch {
    return false;
  }
}
