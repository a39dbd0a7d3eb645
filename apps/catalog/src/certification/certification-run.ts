import { setMaxListeners } from 'node:events';
import type { ProbeRefusal } from '@svc/contracts';
import type { ProbeName } from '../certification-queue/probe-names';
import type { CapacityTurns } from './capacity-turns';
import type { CertificationRunStore, ProbeEnd, RunJob } from './certification-run.store';
import { Places } from './places';
import type { ProbeCaller } from './probe-caller.service';
import { ProbeExaminer } from './probe-examiner';
import { ProbeInterruptedError } from './probe-interrupted.error';
import type { Interruption } from './probe-interrupted.error';
import { isLeftOpen, isWorthAnotherTry, triesOf } from './probe-retries';
import type { Tries } from './probe-retries';
import { probesToBegin, skipReason } from './probe-schedule';
import type { SkipGrounds } from './probe-schedule';
import { PROBES } from './probes/all-probes';
import { Draw } from './probes/draw';
import { failed } from './probes/probe';
import type { Figures, Verdict } from './probes/probe';
import { RunClock } from './run-clock';
import { refusalOf } from './run-judgement';
import type { ProbeState, RunRefusal } from './run-judgement';
import { CAPACITY_PROBES, givesWay, spareServing } from './serving-version';

/** Requests at once outside of what measures capacity. */
const MOST_AT_ONCE = 8;
const OUR_FAULT =
  'The marketplace could not put its question to the endpoint, or could not take what came of it, several times over.';

interface RunParts {
  readonly store: Pick<CertificationRunStore, 'begin' | 'end' | 'postpone'>;
  readonly caller: ProbeCaller;
  readonly turns: CapacityTurns;
  /** How long the run may take. */
  readonly clock: RunClock;
  readonly probeTimeoutMs: number;
  /** Whether requests of clients have succeeded since the run began. */
  readonly servesClients: () => boolean;
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
  /** What may pass was met by these, which are done again after a while; the others are done meanwhile, unless a required one waits. */
  private readonly left = new Set<ProbeName>();
  private waiting: ProbeInterruptedError | undefined;
  /** Why the run has taken too long, by the probe that was under way longest. */
  private overdue: { refusal: ProbeRefusal; elapsedMs: number } | undefined;

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
  async work(): Promise<RunRefusal | undefined> {
    do {
      await this.beginNext();
      if (this.running.size > 0) await Promise.race(this.running);
    } while (this.running.size > 0 || this.mayGoOn());
    if (this.failure) throw this.failure;
    const refusal = this.overdue?.refusal ?? refusalOf(this.probes) ?? this.overdueBetween();
    if (!refusal && this.waiting) throw this.waiting;
    if (refusal) await this.skipRest(refusal);
    return refusal;
  }

  private mayGoOn(): boolean {
    const mustWait = this.probes.some(({ name, required }) => required && this.left.has(name));
    const isOver = mustWait || this.failure !== undefined || refusalOf(this.probes) !== undefined;
    return !isOver && !this.parts.clock.signal.aborted && probesToBegin(this.probes, this.left).length > 0;
  }

  private async beginNext(): Promise<void> {
    while (this.mayGoOn()) {
      const [name] = probesToBegin(this.probes, this.left);
      if (name === undefined) return;
      const reason = skipReason(name, this.probes, this.skipGrounds);
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
    const { store, turns, clock } = this.parts;
    await store.begin(this.job.id, name);
    if (!CAPACITY_PROBES.includes(name)) return this.runProbe(name);
    // Nothing else of the run is under way now; waiting for others is not held against it.
    clock.stop();
    await turns.take(this.job.offer.endpoint.endpoint, () => {
      clock.go();
      return this.runProbe(name);
    });
  }

  private async runProbe(name: ProbeName): Promise<void> {
    const { caller, clock, probeTimeoutMs } = this.parts;
    const probeClock = new RunClock(probeTimeoutMs);
    const signal = AbortSignal.any([this.parts.signal, clock.signal, probeClock.signal]);
    // Every request under way listens.
    setMaxListeners(0, signal);
    const examiner = new ProbeExaminer(this.job.offer, {
      caller,
      places: this.places,
      figuresOf: (of) => this.figuresOf(of),
      signal,
      draw: new Draw(`${this.job.seed} ${name}`),
      givesWay: () => givesWay(this.job, name, this.parts.servesClients),
    });
    try {
      const verdict = await PROBES[name].run(examiner).then(
        (found) => spareServing(this.job, name, found),
        (error: unknown) =>
          isInterrupted(error, 'fault')
            ? this.judgeFault(name, examiner, error)
            : this.judgeOverdue(name, probeClock, error),
      );
      await this.conclude(name, examiner, verdict);
    } finally {
      probeClock.stop();
    }
  }

  private async conclude(
    name: ProbeName,
    { habits, exchanges }: ProbeExaminer,
    verdict: Verdict,
  ): Promise<void> {
    const { passed: isPassed, message, passing } = verdict;
    const tries = this.triesOf(name);
    const isRequired = this.states.get(name)?.required ?? true;
    if (this.job.kind === 'full' && passing && isLeftOpen(isRequired, verdict, tries)) {
      const figures = { ...tries, tries: tries.tries + 1 };
      await this.postpone(name, { message: `${message ?? ''} It is tried again.`, figures, exchanges });
      this.left.add(name);
      this.waiting ??= new ProbeInterruptedError('passing', undefined, { ...passing, tries: figures.tries });
      return;
    }
    const isAgain = tries.tries > 0;
    const words = passing && isAgain ? `${message ?? ''} It was tried ${tries.tries + 1} times.` : message;
    const figures = { ...verdict.figures, ...habits, ...(isAgain && { tries: tries.tries + 1 }) };
    const isPassing = passing !== undefined && !isPassed;
    const status = isPassed ? 'passed' : 'failed';
    await this.end(name, { status, message: words, figures, exchanges, isPassing });
  }

  /** @throws the error, where it may be otherwise another time */
  private async judgeFault(name: ProbeName, { exchanges }: ProbeExaminer, error: unknown): Promise<Verdict> {
    const tries = this.triesOf(name);
    if (!isWorthAnotherTry(tries)) return failed(OUR_FAULT);
    await this.postpone(name, { figures: { ...tries, faults: tries.faults + 1 }, exchanges });
    throw error;
  }

  private triesOf(name: ProbeName): Tries {
    return triesOf(this.states.get(name)?.figures ?? {});
  }

  private async postpone(name: ProbeName, end: Omit<ProbeEnd, 'status'>): Promise<void> {
    await this.parts.store.postpone(this.job.id, name, end, this.parts.clock.elapsedMs);
    this.set(name, { status: 'pending', message: end.message ?? null, figures: end.figures });
  }

  /** @throws the error, where it is not that the time was over */
  private judgeOverdue(name: ProbeName, probeClock: RunClock, error: unknown): Verdict {
    const { clock, signal } = this.parts;
    const isOver = clock.signal.aborted || probeClock.signal.aborted;
    const isCutOff = isInterrupted(error, 'away');
    if (!isOver || !isCutOff || signal.aborted) throw error;
    const { elapsedMs } = probeClock;
    if (!clock.signal.aborted) return failed(`It had not come to an end after ${seconds(elapsedMs)} s.`);
    const refusal = {
      probe: name,
      message: this.overdueWords(`${name} was under way for ${seconds(elapsedMs)} s`),
    };
    if (elapsedMs > (this.overdue?.elapsedMs ?? -1)) this.overdue = { refusal, elapsedMs };
    return failed(refusal.message);
  }

  /** The time ended between two probes. */
  private overdueBetween(): ProbeRefusal | undefined {
    const next = this.probes.find(({ status }) => status === 'pending');
    if (!next || !this.parts.clock.signal.aborted) return undefined;
    return { probe: next.name, message: this.overdueWords(`${next.name} had not begun`) };
  }

  private overdueWords(what: string): string {
    return `The run had not come to an end after ${seconds(this.parts.clock.limitMs)} s: ${what}.`;
  }

  private get skipGrounds(): SkipGrounds {
    const { kind, ceiling, certified = null } = this.job;
    return { ceiling, ...(kind === 'canary' && { certified }) };
  }

  private async end(name: ProbeName, end: ProbeEnd): Promise<void> {
    await this.parts.store.end(this.job.id, name, end, this.parts.clock.elapsedMs);
    const { status, message = null, figures, isPassing = false } = end;
    this.set(name, { status, message, figures, isPassing });
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

function isInterrupted(error: unknown, interruption: Interruption): error is ProbeInterruptedError {
  return error instanceof ProbeInterruptedError && error.interruption === interruption;
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}

function skipped(message: string): ProbeEnd {
  return { status: 'skipped', message, figures: {}, exchanges: [] };
}
