import type { RunAttempt } from '@svc/contracts';
import type { ReplyHolder, ReplyMemory } from '../attempt/reply-memory.service';
import type { AttemptNotes } from './attempt-notes.service';
import type { Asked } from './offer-calls.service';
import { chunkWriter } from './planned-attempt';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { Candidate, Entered, OfferEntrance } from '../offers/offer-entrance.service';
import type { Run } from '../live-run/run';
import type { RunTimes, ServedOutcome, StoppedOutcome } from './plan-outcome';
import { PlanTrail } from './plan-trail';

/** One run's way along its plan: who may be asked next. */
export class PlanWalk implements ReplyHolder {
  readonly trail: PlanTrail;
  private readonly ahead: RunAttempt[];
  /** The first reply that left something to be wished. */
  private spare: Omit<ServedOutcome, 'kind' | 'trail'> | undefined;
  private isAgreed = false;
  /** Whose replies took too long to be held against the client's schemas. */
  private readonly tooExpensive = new Set<string>();

  constructor(
    readonly run: Run,
    private readonly entrance: OfferEntrance,
    private readonly notes: AttemptNotes,
    private readonly memory: ReplyMemory,
  ) {
    this.trail = new PlanTrail(run.request);
    this.ahead = [...run.request.attempts];
  }

  /** The next offer of the plan that can be asked now; who cannot be is passed by. */
  async next(): Promise<Candidate | undefined> {
    while (this.wantsMore) {
      const planned = this.ahead.shift();
      if (!planned) return undefined;
      const candidate = this.take(await this.entrance.enterSoon(planned, this.run));
      if (candidate) return candidate;
    }
    return undefined;
  }

  /** Somebody may be asked beside the one under way, soon: there should be a place by then. */
  prepareBeside(): void {
    if (this.providerAhead) this.entrance.prepare(this.providerAhead);
  }

  /**
   * Like `next`, to be asked beside another: managed vendors answer only when no provider can.
   * @param signal aborted when nobody is wanted any more: whoever a place was being waited for stays ahead in the plan
   */
  async nextBeside(signal: AbortSignal): Promise<Candidate | undefined> {
    while (this.wantsMore) {
      const planned = this.providerAhead;
      if (!planned) return undefined;
      const entered = await this.entrance.enterSoon(planned, { stopSignal: signal });
      if (signal.aborted) {
        if ('candidate' in entered) this.entrance.leave(entered.candidate);
        return undefined;
      }
      this.ahead.shift();
      const candidate = this.take(entered);
      if (candidate) return candidate;
    }
    return undefined;
  }

  /**
   * Waits for a place at one of those that were busy.
   * @returns undefined when none came free in time
   */
  async nextFree(patienceMs: number): Promise<Candidate | undefined> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const { busy } = this.trail;
      if (busy.length === 0 || !this.canGoOn || this.isHopeless) return undefined;
      const leftMs = Math.max(0, untilMs - performance.now());
      const entered = await this.entrance.enterAny(busy, leftMs, this.run);
      if (!entered) return undefined;
      const candidate = this.take(entered);
      if (candidate) return candidate;
    }
  }

  /** Notes in the trail what became of asking one. @returns what the run ends with; undefined when the offer failed */
  noteAsked({ planned }: Candidate, asked: Asked): ServedOutcome | StoppedOutcome | undefined {
    const { trail } = this;
    if (asked.kind === 'failed') {
      trail.note(planned, asked.failure);
      this.noteExpense(planned, asked.failure);
      this.keepSpare(planned, asked);
      return undefined;
    }
    trail.note(planned, asked.kind);
    const times = this.timesOf(asked);
    if (asked.kind === 'stopped')
      return { kind: 'stopped', planned, passedOnBytes: asked.passedOnBytes, trail, times };
    return { kind: 'served', planned, reply: asked.reply, writer: asked.writer, trail, times };
  }

  /** Notes what became of one that has lost a race: a reply that was whole nevertheless has served nobody. */
  noteLoser({ planned }: Candidate, asked: Asked): void {
    this.trail.noteLoser(planned, asked.kind === 'failed' ? asked.failure : 'stopped');
    if (asked.kind === 'failed') this.noteExpense(planned, asked.failure);
    this.keepSpare(planned, asked);
  }

  private noteExpense({ provider }: RunAttempt, { reason }: ProviderFailure): void {
    if (reason === 'schema_too_expensive' || reason === 'schema_unusable') this.tooExpensive.add(provider);
  }

  private keepSpare(planned: RunAttempt, { spare, writer: unused }: Asked): void {
    if (!spare) return;
    if (this.spare) {
      this.isAgreed ||= this.spare.planned.provider !== planned.provider;
      return;
    }
    const { run } = this;
    // The one that it had wrote nothing, and in a race would write beside the run's output.
    const writer = unused && chunkWriter(run, planned, run.output.write);
    this.spare = { planned, reply: spare.reply, writer, times: this.timesOf(spare) };
    // It may be megabytes of blanks, and whoever serves instead may take its time.
    this.memory.note(this, spare.reply.outputBytes);
  }

  /** Others need the room: it is then as if the reply had been refused. */
  crowdOut(): void {
    this.spare = undefined;
  }

  /** Nobody is asked any more, and nothing is kept here. */
  end(): void {
    this.memory.release(this);
  }

  /**
   * Notes in the trail that the first reply which left something to be wished serves: nobody who was asked after it had more to say.
   * @returns undefined where there is none, or it is too late for one
   */
  takeSpare(): ServedOutcome | undefined {
    const { spare, trail } = this;
    if (!spare || !this.canGoOn) return undefined;
    trail.note(spare.planned, 'served');
    return { kind: 'served', ...spare, trail, times: { ...spare.times, totalMs: this.run.elapsedMs } };
  }

  /** The times of an attempt that is over now, counted from the run's beginning: the client waited for the attempts before it as well. */
  private timesOf({
    firstTokenMs,
    totalMs,
  }: {
    firstTokenMs: number | undefined;
    totalMs: number;
  }): RunTimes {
    const runMs = this.run.elapsedMs;
    return {
      firstTokenMs: firstTokenMs === undefined ? undefined : runMs - totalMs + firstTokenMs,
      totalMs: runMs,
    };
  }

  /** It was asked, and broken off for another one that then failed: it may be asked again. */
  putBack(planned: RunAttempt): void {
    this.ahead.unshift(planned);
  }

  /** It was to be asked, and is not: its place goes to others, and it is the next again. */
  turnAway(candidate: Candidate): void {
    this.entrance.leave(candidate);
    this.putBack(candidate.planned);
  }

  /** A reply that leaves something to be wished need not be the last word: another provider is ahead, or one said no more before. */
  get mayPassOn(): boolean {
    return this.canGoOn && (this.providerAhead !== undefined || this.spare !== undefined);
  }

  /** Vendors are at a plan's end. */
  private get providerAhead(): RunAttempt | undefined {
    const [planned] = this.ahead;
    return planned?.mapping === undefined ? planned : undefined;
  }

  /**
   * Two providers who have nothing to say, each by itself, need no third: that is the answer. So it is what one says before a managed vendor,
   * who answers only when no provider can.
   */
  private get wantsMore(): boolean {
    if (this.isAgreed || this.isHopeless) return false;
    return this.canGoOn && (this.spare === undefined || this.providerAhead !== undefined);
  }

  /** One provider may have written what takes so long; where two have, it is the client's schemas, and others would work in vain. */
  private get isHopeless(): boolean {
    return this.tooExpensive.size > 1;
  }

  /** Another provider can be asked unseen, and somebody wants it. */
  get canGoOn(): boolean {
    return !this.run.stopReason && !this.run.output.delivered;
  }

  private take(entered: Entered): Candidate | undefined {
    if ('candidate' in entered) return entered.candidate;
    const { planned, failure } = entered;
    this.trail.note(planned, failure);
    this.notes.notAsked(this.run, planned.offerId, failure);
    return undefined;
  }
}
