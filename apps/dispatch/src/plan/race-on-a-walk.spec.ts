import type { FailureReason, RunAttempt } from '@svc/contracts';
import { eventually } from '@svc/testing';
import type { Attempt } from '../attempt/attempt';
import type { Run } from '../live-run/run';
import type { Candidate, Entered, OfferEntrance } from '../offers/offer-entrance.service';
import { invalid, unavailable } from '../provider-client/provider-failure';
import { runRequest } from '../testing/run-request.for-spec';
import type { ReplyMemory } from '../attempt/reply-memory.service';
import type { AttemptNotes } from './attempt-notes.service';
import type { Asked, CallOptions } from './offer-calls.service';
import { brokenOffError } from './plan-error';
import { PlanWalk } from './plan-walk';
import { Race } from './race';

interface Lane extends CallOptions {
  offerId: string;
  isStopped: boolean;
  end(asked: Asked): void;
}

const failedWith = (reason: FailureReason) =>
  ({ kind: 'failed', failure: reason === 'crowded_out' ? unavailable(reason) : invalid(reason) }) as Asked;
const served = { kind: 'served', firstTokenMs: 1, totalMs: 1 } as Asked;
const stopped = { kind: 'stopped', passedOnBytes: 0, firstTokenMs: undefined, totalMs: 1 } as Asked;

/** A race along a plan of two, with the walk and the trail that it has in earnest. */
class RaceOnAWalk {
  readonly lanes: Lane[] = [];
  readonly left: string[] = [];
  readonly walk: PlanWalk;
  readonly outcome: ReturnType<Race['run']>;
  private readonly run = {
    request: runRequest(['first', 'second']),
    elapsedMs: 0,
    output: { delivered: false, write: () => (this.run.output.delivered = true) },
  };
  /** For whom a place is waited, and what ends that. */
  private readonly waiting = new Map<string, () => void>();

  constructor() {
    const entrance = {
      prepare: () => undefined,
      leave: ({ planned }: Candidate) => void this.left.push(planned.offerId),
      enterSoon: (planned: RunAttempt) =>
        new Promise<Entered>((resolve) => {
          this.waiting.set(planned.offerId, () => resolve({ candidate: { planned } as Candidate }));
        }),
    };
    this.walk = new PlanWalk(
      this.run as unknown as Run,
      entrance as unknown as OfferEntrance,
      {} as AttemptNotes,
      {} as ReplyMemory,
    );
    const race = new Race(this.walk, {
      lateAfterMs: () => 0,
      ask: ({ planned: { offerId } }, options) =>
        new Promise((end) => {
          const lane: Lane = { ...options, offerId, isStopped: false, end };
          this.lanes.push(lane);
          options.onStart?.({ elapsedMs: 0, stop: () => (lane.isStopped = true) } as unknown as Attempt);
        }),
    });
    this.outcome = this.begin(race);
  }

  private async begin(race: Race): ReturnType<Race['run']> {
    const first = this.walk.next();
    (await this.awaited('first'))();
    const candidate = await first;
    if (!candidate) throw new Error('no first');
    return race.run(candidate);
  }

  /** Its first token, of which the client is given something. */
  heard(lane: Lane): void {
    lane.onFirstToken?.();
    lane.output.write('text');
  }

  /** Somebody waits for a place there. @returns what has it come */
  async awaited(offerId: string): Promise<() => void> {
    const come = await eventually(() => this.waiting.get(offerId), { intervalMs: 1 });
    this.waiting.delete(offerId);
    return come;
  }

  /** What became of the two. */
  get route(): string[] {
    return this.walk.trail.route.map(({ outcome }) => outcome);
  }

  /** What the client is told. */
  get told(): string {
    return brokenOffError(this.walk.trail.lastFailure).code;
  }
}

async function twoAsked() {
  const raced = new RaceOnAWalk();
  (await raced.awaited('second'))();
  const [first, second] = await eventually(() => raced.lanes.length === 2 && raced.lanes);
  if (!first || !second) throw new Error('asked no two');
  return { raced, first, second };
}

describe('a race of which the winner breaks off in the middle of its reply', () => {
  it.each<[FailureReason, FailureReason, string]>([
    ['crowded_out', 'shape', 'no_capacity'],
    ['shape', 'crowded_out', 'provider_output_invalid'],
  ])('is told as that one failed (%s), whatever the other ends with (%s)', async (won, lost, code) => {
    for (const isFirst of [true, false]) {
      const { raced, first, second } = await twoAsked();
      const [winner, other] = isFirst ? [first, second] : [second, first];
      raced.heard(winner);
      winner.end(failedWith(won));
      await eventually(() => raced.walk.trail.failed.length === 1);
      other.end(failedWith(lost));
      expect(await raced.outcome).toBeUndefined();
      expect(raced.told).toBe(code);
      expect(raced.walk.trail.failed).toHaveLength(2);
    }
  });

  it('is told so too where the other one failed before it', async () => {
    const { raced, first, second } = await twoAsked();
    second.end(failedWith('shape'));
    raced.heard(first);
    first.end(failedWith('crowded_out'));
    expect(await raced.outcome).toBeUndefined();
    expect(raced.told).toBe('no_capacity');
  });
});

describe('a reply that is whole at the moment it loses', () => {
  async function wholeButLost() {
    const { raced, first, second } = await twoAsked();
    raced.heard(first);
    second.end(served);
    await eventually(() => raced.route[1] !== 'not_tried');
    return { raced, first };
  }

  it('is not the outcome: the client hears another', async () => {
    const { raced, first } = await wholeButLost();
    first.end(failedWith('shape'));
    expect(await raced.outcome).toBeUndefined();
    expect(raced.route).toEqual(['shape', 'stopped']);
  });

  it('is no second that served', async () => {
    const { raced, first } = await wholeButLost();
    first.end(served);
    expect((await raced.outcome)?.planned?.offerId).toBe('first');
    expect(raced.route).toEqual(['served', 'stopped']);
  });
});

describe('who may be asked beside a late one that has its first token meanwhile', () => {
  // From its place to its being asked it is two turns of promises: in each of them somebody may win.
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
  ])('after %d turns: is asked (%d), or not at all and is the next again', async (turns, asked) => {
    const raced = new RaceOnAWalk();
    const come = await raced.awaited('second');
    const [first] = raced.lanes;
    if (!first) throw new Error('asked nobody');
    come();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const besides = raced.lanes.length - 1;
    expect(besides).toBe(asked);
    first.onFirstToken?.();
    await eventually(() => besides + raced.left.length === 1);
    first.end(stopped);
    for (const lane of raced.lanes.slice(1)) lane.end(stopped);
    expect((await raced.outcome)?.kind).toBe('stopped');
    expect(raced.lanes).toHaveLength(1 + besides);
    expect(raced.lanes.slice(1).every(({ isStopped }) => isStopped)).toBe(true);
    const next = raced.walk.next();
    if (besides === 0) (await raced.awaited('second'))();
    expect((await next)?.planned.offerId).toBe(besides === 0 ? 'second' : undefined);
  });
});
