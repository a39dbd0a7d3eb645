import type { ProbeRefusal } from '@svc/contracts';
import type { CapacityTurns } from './capacity-turns';
import type { CertificationRunStore, ProbeEnd, RunJob } from './certification-run.store';
import { Places } from './places';
import type { ProbeCaller } from './probe-caller.service';
import { ProbeExaminer } from './probe-examiner';
import type { ProbeName } from './probe-names';
import { probesToBegin, skipReason } from './probe-schedule';
import { PROBES } from './probes/all-probes';
import type { Figures } from './probes/probe';
import { refusalOf } from './run-judgement';
import type { ProbeState } from './run-judgement';

/** Requests at once outside of what measures capacity. */
const MOST_AT_ONCE = 8;
/** What fills all the places an endpoint has. */
const CAPACITY: readonly ProbeName[] = ['concurrency', 'disconnect'];

export interface RunParts {
  readonly store: Pick<CertificationRunStore, 'begin' | 'end'>;
  readonly caller: ProbeCaller;
  readonly turns: CapacityTurns;
  /** Aborted when the run is to stop, and will go on elsewhere or later. */
  readonly signal: AbortSignal;
  readonly onProbeEnd: (name: ProbeName, end: ProbeEnd) => void;
}

/** One run, from where it stands to its last probe. */
export class CertificationRun {
  private readonly states: Map<ProbeName, ProbeState>;
  private readonly places: Places;
  private readonly running = new Set<Promise<void>>();
  private failure: Error | undefined;

  constructor(
    private readonly job: RunJob,
    private readonly parts: RunParts,
  ) {
    this.states = new Map(job.probes.map((probe) => [probe.name, probe]));
    this.places = new Places(1);
    this.resizePlaces();
  }

  /** How each probe stands, in their order. */
  get probes(): ProbeState[] {
    return [...this.states.values()];
  }

  /**
   * Runs what has not been run yet, until nothing is left or a required probe has failed; then the rest is left out.
   * @returns why the run is refused; undefined when it is passed
   * @throws ProbeInterruptedError when it met a fault of our own
   * @throws RunLostError when it is not this process's any more
   */
  async work(): Promise<ProbeRefusal | undefined> {
    do {
      await this.beginNext();
      if (this.running.size > 0) await Promise.race(this.running);
    } while (this.running.size > 0 || this.mayGoOn());
    if (this.failure) throw this.failure;
    const refusal = refusalOf(this.probes);
    if (refusal) await this.skipRest(refusal);
    return refusal;
  }

  private mayGoOn(): boolean {
    const isOver = this.failure !== undefined || refusalOf(this.probes) !== undefined;
    return !isOver && probesToBegin(this.probes).length > 0;
  }

  private async beginNext(): Promise<void> {
    while (this.mayGoOn()) {
      const [name] = probesToBegin(this.probes);
      if (name === undefined) return;
      const reason = skipReason(name, this.probes, this.job);
      if (reason === undefined) this.begin(name);
      else await this.guarded(() => this.end(name, skipped(reason)));
    }
  }

  private begin(name: ProbeName): void {
    this.set(name, { status: 'running' });
    const work = this.guarded(() => this.examine(name)).finally(() => this.running.delete(work));
    this.running.add(work);
  }

  /** The first thing that goes wrong ends the run, once what is under way has ended as well. */
  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error('a probe broke off', { cause: error });
    }
  }

  private async examine(name: ProbeName): Promise<void> {
    const { store, caller, turns, signal } = this.parts;
    await store.begin(this.job.id, name);
    const figuresOf = (of: ProbeName) => this.figuresOf(of);
    const examiner = new ProbeExaminer(this.job.offer, { caller, places: this.places, figuresOf, signal });
    const run = () => PROBES[name].run(examiner);
    const isMeasuring = CAPACITY.includes(name);
    const verdict = await (isMeasuring ? turns.take(this.job.offer.endpoint.endpoint, run) : run());
    const { passed, message, figures } = verdict;
    const { exchanges } = examiner;
    await this.end(name, { status: passed ? 'passed' : 'failed', message, figures, exchanges });
  }

  private async end(name: ProbeName, end: ProbeEnd): Promise<void> {
    await this.parts.store.end(this.job.id, name, end);
    this.set(name, { status: end.status, message: end.message ?? null, figures: end.figures });
    this.parts.onProbeEnd(name, end);
    this.resizePlaces();
  }

  private async skipRest({ probe }: ProbeRefusal): Promise<void> {
    for (const { name, status } of this.probes) {
      if (status === 'pending') await this.end(name, skipped(`not run: ${probe} failed`));
    }
  }

  private set(name: ProbeName, change: Partial<ProbeState>): void {
    const state = this.states.get(name);
    if (state) this.states.set(name, { ...state, ...change });
  }

  private figuresOf(name: ProbeName): Figures | undefined {
    const state = this.states.get(name);
    return state?.status === 'passed' ? state.figures : undefined;
  }

  /** No more at once than is known to hold. */
  private resizePlaces(): void {
    const held = this.job.certified?.concurrency ?? this.figuresOf('concurrency')?.held ?? 1;
    this.places.resize(Math.max(1, Math.min(held, MOST_AT_ONCE)));
  }
}

function skipped(message: string): ProbeEnd {
  return { status: 'skipped', message, figures: {}, exchanges: [] };
}
