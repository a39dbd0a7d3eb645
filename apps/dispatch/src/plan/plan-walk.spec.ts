import type { RunAttempt } from '@svc/contracts';
import type { AttemptNotes } from '../attempt/attempt-notes.service';
import type { Entered, OfferEntrance } from '../offers/offer-entrance.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { Run } from '../run/run';
import { runRequest } from '../testing/run-request.for-spec';
import { PlanWalk } from './plan-walk';

/** A walk along two offers; a place at one comes when the spec says so. */
class Walked {
  readonly left: string[] = [];
  readonly prepared: string[] = [];
  private readonly waiting: ((comes: boolean) => void)[] = [];
  readonly walk: PlanWalk;

  constructor(offers = ['first', 'second'], fields: Partial<RunAttempt> = {}) {
    const request = runRequest(offers);
    for (const attempt of request.attempts) Object.assign(attempt, fields);
    const run = { request, stopSignal: new AbortController().signal, output: { delivered: false } };
    const entrance = {
      enterSoon: (planned: RunAttempt) =>
        new Promise<Entered>((resolve) => {
          const entered = { candidate: { planned } as Candidate };
          const busy: Entered = { planned, failure: { kind: 'busy', reason: 'busy' } };
          this.waiting.push((comes) => resolve(comes ? entered : busy));
        }),
      prepare: ({ offerId }: RunAttempt) => void this.prepared.push(offerId),
      leave: ({ planned }: Candidate) => void this.left.push(planned.offerId),
    };
    this.walk = new PlanWalk(
      run as unknown as Run,
      entrance as unknown as OfferEntrance,
      { notAsked: () => undefined } as unknown as AttemptNotes,
    );
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
