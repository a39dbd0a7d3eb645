import { Injectable } from '@nestjs/common';
import { TransientMap } from '@svc/collections';
import { isShared } from '../live-run/run';
import type { AnyRun, SharedRun, SoleRun } from '../live-run/run';
import { END_DOUBTFUL_MS } from '../live-run/run-output';
import type { RunOutput } from '../live-run/run-output';

interface Undelivered {
  /** Undefined of an idempotent run: its success stands whoever has got it, and nothing of it is kept here. */
  run?: SoleRun;
  sinceMs: number;
}

interface Failed {
  output: RunOutput;
  sinceMs: number;
}

/** The runs of this process: under way, and ended but not yet known to have reached their client. */
@Injectable()
export class RunRegistry {
  private readonly live = new TransientMap<string, AnyRun>();
  private readonly undelivered = new TransientMap<string, Undelivered>();
  private readonly unheard = new TransientMap<string, AnyRun>();
  /** Oldest first. */
  private readonly failed = new Set<Failed>();
  private readonly idleListeners: (() => void)[] = [];
  private readonly begunListeners: ((run: AnyRun) => void)[] = [];
  private readonly overListeners: ((run: AnyRun) => void)[] = [];
  private readonly sharedListeners: ((run: SharedRun) => void)[] = [];

  get liveRuns(): Iterable<AnyRun> {
    return this.live.values();
  }

  get liveCount(): number {
    return this.live.size;
  }

  get undeliveredCount(): number {
    return this.undelivered.size;
  }

  /** @returns false when a run of that id is known already */
  add(run: AnyRun): boolean {
    if (this.live.has(run.id) || this.undelivered.has(run.id)) return false;
    this.live.set(run.id, run);
    this.unheard.set(run.id, run);
    for (const listener of this.begunListeners) listener(run);
    return true;
  }

  find(requestId: string): AnyRun | undefined {
    return this.live.get(requestId);
  }

  /** @returns undefined for an idempotent one */
  findUndelivered(requestId: string): SoleRun | undefined {
    return this.undelivered.get(requestId)?.run;
  }

  /** The run is over. */
  remove(run: AnyRun): void {
    this.live.delete(run.id);
    this.unheard.delete(run.id);
    for (const listener of this.overListeners) listener(run);
    if (isShared(run)) for (const listener of this.sharedListeners) listener(run);
    else if (!this.undelivered.has(run.id)) this.noteFailure(run.output);
    this.noteIdle();
  }

  /** @param listener called when a run was taken, before anybody is asked for it */
  onBegun(listener: (run: AnyRun) => void): void {
    this.begunListeners.push(listener);
  }

  /** @param listener called when a run is over, once */
  onOver(listener: (run: AnyRun) => void): void {
    this.overListeners.push(listener);
  }

  /** @param listener called when an idempotent run is over */
  onSharedOver(listener: (run: SharedRun) => void): void {
    this.sharedListeners.push(listener);
  }

  /** The run's success was sent: it is kept until its delivery is known. */
  awaitDelivery(run: SoleRun): void {
    this.undelivered.set(run.id, { run, sinceMs: performance.now() });
  }

  /** An idempotent run is over, and somebody has yet to get the rest of its reply. */
  awaitReaders(requestId: string): void {
    this.undelivered.set(requestId, { sinceMs: performance.now() });
  }

  /** The outcome reached the client, or there is nothing left to confirm. */
  forgetDelivery(requestId: string): void {
    if (this.undelivered.delete(requestId)) this.noteIdle();
  }

  /** A failure was sent; nobody confirms those. */
  noteFailure(output: RunOutput): void {
    const nowMs = performance.now();
    for (const old of this.failed) {
      if (old.sinceMs > nowMs - END_DOUBTFUL_MS) break;
      this.failed.delete(old);
    }
    this.failed.add({ output, sinceMs: nowMs });
  }

  /** Where a failure was sent of which nobody knows whether it arrived. */
  get unconfirmedFailures(): RunOutput[] {
    return [...this.failed].map(({ output }) => output);
  }

  /** Takes out those of one client alone that are meant. @param isMeant also told how long ago the success was sent, ms */
  takeUndelivered(isMeant: (run: SoleRun, ageMs: number) => boolean): SoleRun[] {
    const nowMs = performance.now();
    const taken: SoleRun[] = [];
    for (const { run, sinceMs } of this.undelivered.values()) {
      if (run && isMeant(run, nowMs - sinceMs)) taken.push(run);
    }
    for (const run of taken) this.forgetDelivery(run.id);
    return taken;
  }

  /** Confirmations may be waiting to be read: everything gets its time anew. */
  renewUndelivered(): void {
    const nowMs = performance.now();
    for (const undelivered of this.undelivered.values()) undelivered.sinceMs = nowMs;
  }

  /** Takes out the runs that have been under way for `minAgeMs` or longer without a frame. */
  takeSilent(minAgeMs: number): AnyRun[] {
    const startedBeforeMs = performance.now() - minAgeMs;
    const silent: AnyRun[] = [];
    for (const run of this.unheard.values()) {
      if (run.startedMs > startedBeforeMs) continue;
      this.unheard.delete(run.id);
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
