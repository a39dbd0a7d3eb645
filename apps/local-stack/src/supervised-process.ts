import { pause } from '@svc/local-servers';
import type { LocalServer, ProcessExit } from '@svc/local-servers';

/** How long after an end it is started again: doubled from the first to the longest while it keeps ending. */
const firstBackOffMs = 250;
const longestBackOffMs = 10_000;
/** A process that ran this long has proven itself; the next end begins at the first back-off again. */
const provenAfterMs = 30_000;

/** What is told of a process once it was up. */
export interface SupervisorEvents {
  /** It ended by itself and is started again after `backOffMs`. */
  ended(name: string, exit: ProcessExit, backOffMs: number): void;
  /** It is up again. */
  restarted(name: string, pid: number, tookMs: number): void;
  /** An attempt to start it again failed; the next one follows. */
  failed(name: string, error: Error, backOffMs: number): void;
}

/** One process that is kept running: started, watched, started again when it ends, stopped at the end. */
export class SupervisedProcess {
  private server: LocalServer | undefined;
  private watching: Promise<void> = Promise.resolve();
  private backOffMs = firstBackOffMs;
  private readonly stopped = new AbortController();

  /**
   * @param service what ready.json calls it; replicas share it
   * @param launch starts it and resolves when it is ready; ends what it began when the signal is aborted
   */
  constructor(
    readonly name: string,
    readonly service: string,
    private readonly launch: (signal: AbortSignal) => Promise<LocalServer>,
    private readonly events: SupervisorEvents,
  ) {}

  /** The running process, or undefined while it is down. */
  get pid(): number | undefined {
    return this.server?.pid;
  }

  /**
   * Starts it for the first time and watches it from then on.
   * @throws what the first launch throws: then the stack has not come up, and nothing is retried
   */
  async start(signal: AbortSignal): Promise<LocalServer> {
    const server = await this.launch(AbortSignal.any([signal, this.stopped.signal]));
    this.server = server;
    this.watching = this.watch(server);
    return server;
  }

  /** Ends it, also in the middle of a restart. */
  async stop(): Promise<void> {
    this.stopped.abort(new Error(`${this.name} is stopping`));
    await this.server?.stop();
    await this.watching;
  }

  private async watch(first: LocalServer): Promise<void> {
    let current: LocalServer | undefined = first;
    while (current !== undefined) {
      const startedAt = performance.now();
      const exit = await current.exited;
      this.server = undefined;
      if (this.isStopped()) return;
      if (performance.now() - startedAt > provenAfterMs) this.backOffMs = firstBackOffMs;
      this.events.ended(this.name, exit, this.backOffMs);
      current = await this.relaunch();
    }
  }

  /** Tries until it is up again; undefined when it was stopped meanwhile. */
  private async relaunch(): Promise<LocalServer | undefined> {
    for (;;) {
      await pause(this.backOffMs, this.stopped.signal);
      this.backOffMs = Math.min(2 * this.backOffMs, longestBackOffMs);
      if (this.isStopped()) return undefined;
      const startedAt = performance.now();
      try {
        const server = await this.launch(this.stopped.signal);
        if (this.isStopped()) {
          await server.stop();
          return undefined;
        }
        this.server = server;
        this.events.restarted(this.name, server.pid, performance.now() - startedAt);
        return server;
      } catch (error) {
        if (this.isStopped()) return undefined;
        this.events.failed(
          this.name,
          error instanceof Error ? error : new Error(String(error)),
          this.backOffMs,
        );
      }
    }
  }

  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }
}
