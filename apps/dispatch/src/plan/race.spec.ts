import type { Attempt } from '../attempt/attempt';
import type { Asked } from '../attempt/offer-calls.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { PlanWalk } from './plan-walk';
import { Race } from './race';

const LATE_AFTER_MS = 5;

/** A walk along offers of which each is asked as `ask` says; and what happened. */
class Raced {
  asked = 0;
  readonly stopped: number[] = [];

  constructor(
    private readonly ask: (index: number) => Promise<Asked>,
    private readonly elapsedMs = 0,
  ) {}

  run(): Promise<unknown> {
    const walk = {
      run: { output: { write: () => undefined } },
      prepareBeside: () => undefined,
      nextBeside: () => Promise.resolve(this.candidate()),
      outcomeOf: () => undefined,
      putBack: () => undefined,
    };
    return new Race(walk as unknown as PlanWalk, {
      ask: (_candidate, { onStart }) => {
        const index = this.asked++;
        onStart?.({ elapsedMs: this.elapsedMs, stop: () => this.stopped.push(index) } as unknown as Attempt);
        return this.ask(index);
      },
      lateAfterMs: () => LATE_AFTER_MS,
    }).run(this.candidate());
  }

  private candidate(): Candidate {
    return { planned: {} } as Candidate;
  }
}

describe('Race', () => {
  it('that ends in an error of ours asks nobody any more', async () => {
    let endFirst!: (asked: Asked) => void;
    const raced = new Raced((index) =>
      index === 0
        ? new Promise((resolve) => (endFirst = resolve))
        : Promise.reject(new Error('a bug of ours')),
    );
    await expect(raced.run()).rejects.toThrow('a bug of ours');
    expect(raced.stopped).toContain(0);
    jest.useFakeTimers();
    endFirst({ kind: 'stopped', firstTokenMs: undefined, totalMs: 1, passedOnBytes: 0, writer: undefined });
    await Promise.resolve();
    await Promise.resolve();
    expect(jest.getTimerCount()).toBe(0);
    expect(raced.asked).toBe(2);
    jest.useRealTimers();
  });

  it('that goes on with one who is late already asks another at once', async () => {
    jest.useFakeTimers();
    const wait = jest.spyOn(globalThis, 'setTimeout');
    let endFirst!: (asked: Asked) => void;
    const raced = new Raced((index) => {
      if (index === 1) return new Promise(() => undefined);
      if (index === 0) return new Promise((resolve) => (endFirst = resolve));
      return Promise.reject(new Error('asked'));
    }, 2 * LATE_AFTER_MS);
    const ended = expect(raced.run()).rejects.toThrow('asked');
    await jest.advanceTimersByTimeAsync(0);
    expect(raced.asked).toBe(2);
    endFirst({ kind: 'stopped', firstTokenMs: undefined, totalMs: 1, passedOnBytes: 0, writer: undefined });
    await jest.advanceTimersByTimeAsync(0);
    await ended;
    // Node warns of a negative one, and waits a millisecond.
    expect(wait.mock.calls.every(([, ms]) => (ms ?? 0) >= 0)).toBe(true);
    jest.useRealTimers();
  });
});
