import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import { ReplyMemory } from '../attempt/reply-memory.service';
import type { DispatchMetrics } from '../dispatch.metrics';
import type { AttemptNotes } from './attempt-notes.service';
import type { Asked } from './offer-calls.service';
import type { Entered, OfferEntrance } from '../offers/offer-entrance.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { Run } from '../live-run/run';
import { invalid } from '../provider-client/provider-failure';
import { runRequest } from '../testing/run-request.for-spec';
import type { WholeReply } from '../validation/whole-reply';
import { PlanWalk } from './plan-walk';

/** A walk along two offers; a place at one comes when the spec says so. */
class Walked {
  readonly left: string[] = [];
  readonly prepared: string[] = [];
  /** What the waits for any of several are to end with. */
  readonly ends: (Entered | undefined)[] = [];
  /** For whom it was waited, and how long. */
  readonly waited: [string[], number][] = [];
  /** How long each of them takes. */
  waitsMs = 0;
  readonly notAsked: string[] = [];
  readonly run: {
    request: StartRunRequest;
    stopReason?: string;
    elapsedMs: number;
    output: { delivered: boolean };
  };
  private readonly waiting: ((comes: boolean) => void)[] = [];
  readonly memory = new ReplyMemory({ watchReplyMemory: () => undefined } as unknown as DispatchMetrics);
  readonly walk: PlanWalk;

  constructor(offers = ['first', 'second'], fields: Partial<RunAttempt> = {}) {
    const request = runRequest(offers);
    for (const attempt of request.attempts) Object.assign(attempt, fields);
    this.run = { request, elapsedMs: 0, output: { delivered: false } };
    const entrance = {
      enterSoon: (planned: RunAttempt) =>
        new Promise<Entered>((resolve) => {
          const entered = { candidate: { planned } as Candidate };
          const busy: Entered = { planned, failure: { kind: 'busy', reason: 'busy' } };
          this.waiting.push((comes) => resolve(comes ? entered : busy));
        }),
      enterAny: (busy: readonly RunAttempt[], patienceMs: number) => {
        this.waited.push([busy.map(({ offerId }) => offerId), patienceMs]);
        jest.advanceTimersByTime(this.waitsMs);
        return Promise.resolve(this.ends.shift());
      },
      prepare: ({ offerId }: RunAttempt) => void this.prepared.push(offerId),
      leave: ({ planned }: Candidate) => void this.left.push(planned.offerId),
    };
    this.walk = new PlanWalk(
      this.run as unknown as Run,
      entrance as unknown as OfferEntrance,
      { notAsked: (_: Run, offerId: string) => void this.notAsked.push(offerId) } as unknown as AttemptNotes,
      this.memory,
    );
  }

  /** A walk that found every offer busy. */
  static async busy(offers?: string[]): Promise<Walked> {
    const walked = new Walked(offers);
    const next = walked.walk.next();
    for (let left = walked.run.request.attempts.length; left > 0; left--) {
      walked.noPlaceComes();
      await Promise.resolve().then(() => undefined);
    }
    expect(await next).toBeUndefined();
    return walked;
  }

  planned(index: number): RunAttempt {
    return this.run.request.attempts[index] as RunAttempt;
  }

  candidate(index: number): Candidate {
    return { planned: this.planned(index) } as Candidate;
  }

  placeComes(): void {
    this.waiting.shift()?.(true);
  }

  noPlaceComes(): void {
    this.waiting.shift()?.(false);
  }
}

describe('who is asked beside a late one', () => {
  it('is waited for where there is no place at hand yet', async () => {
    const walked = new Walked();
    const beside = walked.walk.nextBeside(new AbortController().signal);
    walked.placeComes();
    expect((await beside)?.planned.offerId).toBe('first');
    expect(walked.left).toEqual([]);
  });

  it('gives the place back, and stays ahead, when somebody has won meanwhile', async () => {
    const walked = new Walked();
    const search = new AbortController();
    const beside = walked.walk.nextBeside(search.signal);
    search.abort();
    walked.placeComes();
    expect(await beside).toBeUndefined();
    expect(walked.left).toEqual(['first']);
    const next = walked.walk.next();
    walked.placeComes();
    expect((await next)?.planned.offerId).toBe('first');
  });

  it('is the next after one that is busy', async () => {
    const walked = new Walked();
    const beside = walked.walk.nextBeside(new AbortController().signal);
    walked.noPlaceComes();
    await Promise.resolve().then(() => undefined);
    walked.placeComes();
    expect((await beside)?.planned.offerId).toBe('second');
    expect(walked.walk.trail.busy.map(({ offerId }) => offerId)).toEqual(['first']);
  });

  it('has no place to give back that never came', async () => {
    const walked = new Walked();
    const search = new AbortController();
    const beside = walked.walk.nextBeside(search.signal);
    search.abort();
    walked.noPlaceComes();
    expect(await beside).toBeUndefined();
    expect(walked.left).toEqual([]);
    expect(walked.walk.trail.busy).toEqual([]);
  });

  it('has a place fetched beforehand, unless it is a managed vendor', () => {
    const walked = new Walked();
    walked.walk.prepareBeside();
    expect(walked.prepared).toEqual(['first']);
    const managed = new Walked(['vendor'], { mapping: 'acme' });
    managed.walk.prepareBeside();
    new Walked([]).walk.prepareBeside();
    expect(managed.prepared).toEqual([]);
  });
});

describe('who was busy', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is noted as not asked, and waited for, with everybody else who was', async () => {
    const walked = await Walked.busy();
    expect(walked.notAsked).toEqual(['first', 'second']);
    const candidate = walked.candidate(1);
    walked.ends.push({ candidate });
    expect(await walked.walk.nextFree(100)).toBe(candidate);
    expect(walked.waited).toEqual([[['first', 'second'], 100]]);
  });

  it('is waited for no longer than the patience, however many turn out to be gone meanwhile', async () => {
    const walked = await Walked.busy(['first', 'second', 'third']);
    walked.waitsMs = 60;
    for (const planned of walked.run.request.attempts.slice(0, 2))
      walked.ends.push({ planned, failure: { kind: 'unavailable', reason: 'offer_gone' } });
    expect(await walked.walk.nextFree(100)).toBeUndefined();
    expect(walked.waited).toEqual([
      [['first', 'second', 'third'], 100],
      [['second', 'third'], 40],
      [['third'], 0],
    ]);
  });

  it.each<[string, (walked: Walked) => void]>([
    ['the client has left', ({ run }) => (run.stopReason = 'cancelled')],
    ['the client was given something', ({ run }) => (run.output.delivered = true)],
    [
      'nobody was',
      ({ walk, run }) => run.request.attempts.forEach((each) => walk.trail.note(each, 'stopped')),
    ],
  ])('is not waited for when %s', async (_, happen) => {
    const walked = await Walked.busy();
    happen(walked);
    expect(await walked.walk.nextFree(100)).toBeUndefined();
    expect(walked.waited).toEqual([]);
  });
});

describe('who was asked', () => {
  it('leaves a failure behind, and no outcome', () => {
    const walked = new Walked();
    const asked = { kind: 'failed', failure: { kind: 'unavailable', reason: 'connect_failed' } } as Asked;
    expect(walked.walk.noteAsked(walked.candidate(0), asked)).toBeUndefined();
    expect(became(walked)).toEqual(['connect_failed', 'not_tried']);
  });

  it.each<[string, Partial<Asked>]>([
    ['served', { reply: {} as WholeReply, writer: undefined }],
    ['stopped', { passedOnBytes: 7 }],
  ])('leaves that it %s, with the time that the run took before it', (kind, fields) => {
    const walked = new Walked();
    walked.run.elapsedMs = 1_000;
    const asked = { kind, ...fields, firstTokenMs: 100, totalMs: 300 } as Asked;
    expect(walked.walk.noteAsked(walked.candidate(1), asked)).toEqual({
      ...{ kind, ...fields, planned: walked.planned(1), trail: walked.walk.trail },
      times: { firstTokenMs: 800, totalMs: 1_000 },
    });
    expect(became(walked)).toEqual(['not_tried', kind]);
    const unheard = walked.walk.noteAsked(walked.candidate(1), {
      ...asked,
      firstTokenMs: undefined,
    } as Asked);
    expect(unheard?.times).toEqual({ firstTokenMs: undefined, totalMs: 1_000 });
  });

  it('is the next again when it was broken off for another one', async () => {
    const walked = new Walked();
    const first = walked.walk.next();
    walked.placeComes();
    walked.walk.putBack((await first)?.planned as RunAttempt);
    const next = walked.walk.next();
    walked.placeComes();
    expect((await next)?.planned).toBe(walked.planned(0));
  });

  it('was the last when no offer is left', async () => {
    expect(await new Walked([]).walk.next()).toBeUndefined();
    expect(await new Walked([]).walk.nextBeside(new AbortController().signal)).toBeUndefined();
  });
});

/** A walk that has begun, each of its offers another provider's. */
async function walkedOn(offers: string[]): Promise<Walked> {
  const walked = new Walked(offers);
  for (const [index, planned] of walked.run.request.attempts.entries()) planned.provider = `0x${index}`;
  const first = walked.walk.next();
  walked.placeComes();
  await first;
  return walked;
}

describe("a reply that took too long to be held against the client's schemas", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const expensive = { kind: 'failed', failure: invalid('schema_too_expensive') } as Asked;

  it.each([
    ['nobody else once it was two providers', '0x1', undefined],
    ['others where both were of one provider', '0x0', 'second'],
  ])('has the plan ask %s', async (_, provider, next) => {
    const walked = await walkedOn(['first', 'second', 'busy']);
    walked.walk.noteAsked(walked.candidate(0), expensive);
    walked.walk.noteLoser({ planned: { ...walked.planned(1), provider } } as Candidate, expensive);
    walked.walk.trail.note(walked.planned(2), { kind: 'busy', reason: 'busy' });
    const asked = walked.walk.next();
    walked.placeComes();
    expect((await asked)?.planned.offerId).toBe(next);
    await walked.walk.nextFree(0);
    expect(walked.waited).toHaveLength(next === undefined ? 0 : 1);
  });
});

describe('a reply that leaves something to be wished', () => {
  const lacking = (content: string, outputBytes = 1): Asked => ({
    kind: 'failed',
    failure: invalid('wordless'),
    writer: undefined,
    spare: {
      kind: 'served',
      reply: { content, outputBytes } as WholeReply,
      firstTokenMs: 10,
      totalMs: 20,
      wasPaused: false,
    },
  });

  it('is the last word only where nobody is ahead and nobody has said as little', async () => {
    const walked = await walkedOn(['first', 'second']);
    expect(walked.walk.mayPassOn).toBe(true);
    const alone = await walkedOn(['first']);
    expect(alone.walk.mayPassOn).toBe(false);
    alone.walk.noteAsked(alone.candidate(0), lacking(''));
    expect(alone.walk.mayPassOn).toBe(true);
    for (const change of [{ stopReason: 'cancelled' }, { output: { delivered: true } }]) {
      const late = await walkedOn(['first', 'second']);
      late.walk.noteAsked(late.candidate(0), lacking(''));
      Object.assign(late.run, change);
      expect([late.walk.mayPassOn, late.walk.takeSpare()]).toEqual([false, undefined]);
    }
  });

  it('is kept, the first of them, with its time and that of those after it', async () => {
    const walked = await walkedOn(['first', 'second', 'third']);
    expect(walked.walk.takeSpare()).toBeUndefined();
    walked.run.elapsedMs = 100;
    expect(walked.walk.noteAsked(walked.candidate(0), lacking('a'))).toBeUndefined();
    walked.run.elapsedMs = 200;
    walked.walk.noteLoser(walked.candidate(1), lacking('b'));
    expect(walked.walk.takeSpare()).toMatchObject({
      ...{ kind: 'served', planned: walked.planned(0), reply: { content: 'a' } },
      times: { firstTokenMs: 90, totalMs: 200 },
    });
    expect(became(walked)).toEqual(['served', 'wordless', 'not_tried']);
  });

  it('takes room while it is kept, and is none any more where there is none left', async () => {
    const walked = await walkedOn(['first', 'second']);
    walked.walk.noteAsked(walked.candidate(0), lacking('a'));
    expect(walked.memory.holderCount).toBe(1);
    walked.walk.end();
    expect(walked.memory.holderCount).toBe(0);
    const large = await walkedOn(['first', 'second']);
    large.walk.noteAsked(large.candidate(0), lacking('a', 2 ** 30));
    expect([large.walk.takeSpare(), large.memory.holderCount]).toEqual([undefined, 0]);
  });

  it('is an answer: a managed vendor is not asked after it', async () => {
    const walked = await walkedOn(['first', 'vendor']);
    Object.assign(walked.planned(1), { mapping: 'acme' });
    expect(walked.walk.mayPassOn).toBe(false);
    walked.walk.noteAsked(walked.candidate(0), lacking(''));
    expect(await walked.walk.next()).toBeUndefined();
    expect(walked.walk.takeSpare()).toMatchObject({ kind: 'served', planned: walked.planned(0) });
  });

  it.each([
    ['nobody else once two providers agree', '0x1', undefined],
    ['others where both were of one provider', '0x0', 'second'],
  ])('asks %s', async (_, provider, next) => {
    const walked = await walkedOn(['first', 'second']);
    walked.walk.noteAsked(walked.candidate(0), lacking(''));
    walked.walk.noteAsked({ planned: { ...walked.planned(1), provider } } as Candidate, lacking(''));
    const asked = walked.walk.next();
    walked.placeComes();
    expect((await asked)?.planned.offerId).toBe(next);
  });
});

it('nobody is asked any more once the client has left or was given something', async () => {
  for (const change of [{ stopReason: 'cancelled' }, { output: { delivered: true } }]) {
    const walked = new Walked();
    Object.assign(walked.run, change);
    expect(await walked.walk.next()).toBeUndefined();
    expect(await walked.walk.nextBeside(new AbortController().signal)).toBeUndefined();
    expect(became(walked)).toEqual(['not_tried', 'not_tried']);
  }
});

function became({ walk }: Walked): string[] {
  return walk.trail.route.map(({ outcome }) => outcome);
}
