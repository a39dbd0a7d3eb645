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
  private readonly waiting: (() => void)[] = [];
  readonly walk: PlanWalk;

  constructor() {
    const request = runRequest(['first', 'second']);
    const run = { request, stopSignal: new AbortController().signal, output: { delivered: false } };
    const entrance = {
      enterSoon: (planned: RunAttempt) =>
        new Promise<Entered>((resolve) => {
          this.waiting.push(() => resolve({ candidate: { planned } as Candidate }));
        }),
      leave: ({ planned }: Candidate) => void this.left.push(planned.offerId),
    };
    this.walk = new PlanWalk(
      run as unknown as Run,
      entrance as unknown as OfferEntrance,
      {} as unknown as AttemptNotes,
    );
  }

  placeComes(): void {
    this.waiting.shift()?.();
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
});
