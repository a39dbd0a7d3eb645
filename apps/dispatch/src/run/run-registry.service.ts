import { Injectable } from '@nestjs/common';
import type { Run } from './run';
import type { RunOutput } from './run-output';

interface Undelivered {
  run: Run;
  sinceMs: number;
}

/**
 * How long a failure may turn out to have been lost. Over a link that is away longer, gateways miss this process's signs of
 * life and give its runs up by themselves.
 */
const FAILURE_KEPT_MS = 10_000;

interface Failed {
  output: RunOutput;
  sinceMs: number;
}

/** The runs of this process: under way, and ended but not yet known to have reached their client. */
@Injectable()
export class RunRegistry {
  private readonly live = new Map<string, Run>();
  private readonly undelivered = new Map<string, Undelivered>();
  private readonly unheard = new Set<Run>();
  /** Oldest first. */
  private readonly failed = new Set<Failed>();
  private readonly idleListeners: (() => void)[] = [];

  get liveRuns(): IterableIterator<Run> {
    return this.live.values();
  }

  get liveCount(): number {
    return this.live.size;
  }

  get undeliveredCount(): number {
    return this.undelivered.size;
  }

  /** @returns false when a run of that id is known already */
  add(run: Run): boolean {
    if (this.live.has(run.id) || this.undelivered.has(run.id)) return false;
    this.live.set(run.id, run);
    this.unheard.add(run);
    return true;
  }

  find(requestId: string): Run | undefined {
    return this.live.get(requestId);
  }

  findUndelivered(requestId: string): Run | undefined {
    return this.undelivered.get(requestId)?.run;
  }

  /** The run is over. */
  remove(run: Run): void {
    this.live.delete(run.id);
    this.unheard.delete(run);
    if (!this.undelivered.has(run.id)) this.noteFailure(run.output);
    this.noteIdle();
  }

  /** The run's success was sent: it is kept until its delivery is known. */
  awaitDelivery(run: Run): void {
    this.undelivered.set(run.id, { run, sinceMs: performance.now() });
  }

  /** The outcome reached the client, or there is nothing left to confirm. */
  forgetDelivery(requestId: string): void {
    if (this.undelivered.delete(requestId)) this.noteIdle();
  }

  /** A failure was sent; nobody confirms those. */
  noteFailure(output: RunOutput): void {
    const nowMs = performance.now();
    for (const old of this.failed) {
      if (old.sinceMs > nowMs - FAILURE_KEPT_MS) break;
      this.failed.delete(old);
    }
    this.failed.add({ output, sinceMs: nowMs });
  }

  /** Where a failure was sent of which nobody knows whether it arrived. */
  get unconfirmedFailures(): RunOutput[] {
    return [...this.failed].map(({ output }) => output);
  }

  /** Takes out those that were sent longer ago than that. */
  takeUndelivered(isOverdue: (run: Run, ageMs: number) => boolean): Run[] {
    const nowMs = performance.now();
    const taken: Run[] = [];
    for (const { run, sinceMs } of this.undelivered.values()) {
      if (isOverdue(run, nowMs - sinceMs)) taken.push(run);
    }
    for (const run of taken) this.forgetDelivery(run.id);
    return taken;
  }

  /** Takes out the runs that have been under way for so long without a frame. */
  takeSilent(minAgeMs: number): Run[] {
    const startedBeforeMs = performance.now() - minAgeMs;
    const silent: Run[] = [];
    for (const run of this.unheard) {
      if (run.startedMs > startedBeforeMs) continue;
      this.unheard.delete(run);
      if (run.output.silent) silent.push(run);
    }
    return silent;
  }

  /** Resolves when nothing is under way and nothing waits for a confirmation. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.idleListeners.push(resolve);
      this.noteIdle();
    });
  }

  private noteIdle(): void {
    if (this.live.size > 0 || this.undelivered.size > 0) return;
    for (const listener of this.idleListeners.splice(0)) listener();
  }
}
