import type { Attempt } from '../attempt/attempt';
import type { Asked, CallOptions } from './offer-calls.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { ServedOutcome, StoppedOutcome } from './plan-outcome';
import type { PlanWalk } from './plan-walk';
import { StagedOutput } from './staged-output';

/** Who takes part in a race, and when. */
interface RaceRules {
  ask(candidate: Candidate, options: CallOptions): Promise<Asked>;
  /** When the first token is later than nearly always, ms; undefined while too little is known of the offer. */
  lateAfterMs(candidate: Candidate): number | undefined;
}

interface Lane {
  candidate: Candidate;
  output: StagedOutput;
  attempt?: Attempt;
}

/** A third would cost more than it could save. */
const MOST_LANES = 2;

/**
 * Asks an offer, and the next one beside it when its first token is late. Whoever has a first token first goes on alone; the other is
 * stopped. Nothing that it has said is seen or charged.
 */
export class Race {
  private readonly lanes = new Set<Lane>();
  private readonly losers: Candidate[] = [];
  private started = 0;
  private winner: Lane | undefined;
  private isGivenUp = false;
  private outcome: ServedOutcome | StoppedOutcome | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Ends the search for somebody to ask beside who is late. */
  private search = new AbortController();
  private resolve!: (outcome: ServedOutcome | StoppedOutcome | undefined) => void;
  private reject!: (bug: unknown) => void;

  constructor(
    private readonly walk: PlanWalk,
    private readonly rules: RaceRules,
  ) {}

  /** A second offer was asked. */
  get wasHedged(): boolean {
    return this.started > 1;
  }

  /** @returns undefined when all who were asked failed */
  run(first: Candidate): Promise<ServedOutcome | StoppedOutcome | undefined> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.start(first);
    });
  }

  private start(candidate: Candidate): void {
    const lane: Lane = { candidate, output: new StagedOutput(this.walk.run.output) };
    this.lanes.add(lane);
    this.started++;
    const asked = this.rules.ask(candidate, {
      output: lane.output,
      alwaysStreamed: true,
      onStart: (attempt) => (lane.attempt = attempt),
      onFirstToken: () => this.win(lane),
      mayPassOn: () => this.walk.mayPassOn || (this.isContested && this.walk.canGoOn),
    });
    asked.then((result) => this.end(lane, result)).catch((bug: unknown) => this.giveUp(bug));
    this.watch();
  }

  /** Somebody else is under way, or is asked again should the winner break down. */
  private get isContested(): boolean {
    return this.lanes.size > 1 || this.losers.length > 0;
  }

  /** Starts another when the one that runs alone becomes late. */
  private watch(): void {
    this.callOff();
    if (this.winner || this.isGivenUp || this.lanes.size >= MOST_LANES) return;
    const [lane] = this.lanes;
    const lateAfterMs = lane && this.rules.lateAfterMs(lane.candidate);
    if (lateAfterMs === undefined) return;
    this.walk.prepareBeside();
    const leftMs = Math.max(0, lateAfterMs - (lane?.attempt?.elapsedMs ?? 0));
    const { signal } = this.search;
    this.timer = setTimeout(() => {
      this.startBeside(signal).catch((bug: unknown) => this.giveUp(bug));
    }, leftMs);
  }

  private async startBeside(signal: AbortSignal): Promise<void> {
    const beside = await this.walk.nextBeside(signal);
    if (!beside) return;
    // Somebody may have won, or all of it have ended, between the place and here.
    if (signal.aborted) this.walk.turnAway(beside);
    else this.start(beside);
  }

  /** Nobody is to be asked beside who runs now. */
  private callOff(): void {
    clearTimeout(this.timer);
    this.search.abort();
    this.search = new AbortController();
  }

  private win(lane: Lane): void {
    if (this.winner) return;
    this.winner = lane;
    this.callOff();
    lane.output.open();
    for (const other of this.lanes) if (other !== lane) other.attempt?.stop();
  }

  private end(lane: Lane, asked: Asked): void {
    this.lanes.delete(lane);
    if (asked.kind === 'served') this.win(lane);
    if (this.winner !== undefined && this.winner !== lane) {
      this.walk.noteLoser(lane.candidate, asked);
      // Also one that was whole at the moment it lost: the client has begun to hear another.
      if (asked.kind !== 'failed') this.losers.push(lane.candidate);
    } else {
      const outcome = this.walk.noteAsked(lane.candidate, asked);
      this.outcome ??= outcome;
    }
    if (this.lanes.size > 0) return this.watch();
    this.callOff();
    // The winner broke down before anything of it was seen: who was stopped for its sake has failed nobody.
    if (!this.outcome) for (const { planned } of this.losers) this.walk.putBack(planned);
    this.resolve(this.outcome);
  }

  /** Ours, not a provider's: nobody goes on. */
  private giveUp(bug: unknown): void {
    this.isGivenUp = true;
    this.callOff();
    for (const { attempt } of this.lanes) attempt?.stop();
    this.reject(bug);
  }
}
