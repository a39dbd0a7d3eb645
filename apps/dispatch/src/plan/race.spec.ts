import type { RunAttempt } from '@svc/contracts';
import { eventually } from '@svc/testing';
import type { Attempt } from '../attempt/attempt';
import type { Asked, CallOptions } from './offer-calls.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { PlanWalk } from './plan-walk';
import { Race } from './race';

const LATE_AFTER_MS = 5;

/** A walk along offers of which each is asked as `ask` says; and what happened. */
class Raced {
  asked = 0;
  /** How often a place was fetched for who may be asked beside. */
  prepared = 0;
  /** Comes before anybody is asked beside. */
  place = Promise.resolve();
  readonly stopped: number[] = [];
  /** What the client was given. */
  written = '';
  /** The offers that may be asked again. */
  readonly putBack: number[] = [];
  readonly race: Race;
  private readonly planned: RunAttempt[] = [];

  constructor(
    private readonly ask: (index: number, options: CallOptions) => Promise<Asked>,
    private readonly elapsedMs = 0,
    /** When the first is late, and how many there are to be asked beside it. */
    rules: { lateAfterMs?: number | undefined; others?: number } = {},
  ) {
    const { lateAfterMs, others } = { lateAfterMs: LATE_AFTER_MS, others: Infinity, ...rules };
    const walk = {
      run: { output: { write: (text: string) => (this.written += text) } },
      prepareBeside: () => this.prepared++,
      nextBeside: async (signal: AbortSignal) => {
        await this.place;
        return signal.aborted || this.asked > others ? undefined : this.candidate();
      },
      noteAsked: ({ planned }: Candidate, { kind }: Asked) =>
        kind === 'failed' ? undefined : { kind, planned },
      noteLoser: () => undefined,
      putBack: (planned: RunAttempt) => this.putBack.push(this.planned.indexOf(planned)),
    };
    this.race = new Race(walk as unknown as PlanWalk, {
      ask: (_candidate, options) => {
        const index = this.asked++;
        const stop = () => this.stopped.push(index);
        options.onStart?.({ elapsedMs: this.elapsedMs, stop } as unknown as Attempt);
        return this.ask(index, options);
      },
      lateAfterMs: () => lateAfterMs,
    });
  }

  /** @returns the index of the offer that decided it, and how; undefined when all failed */
  async run(): Promise<[number, string] | undefined> {
    const outcome = await this.race.run(this.candidate());
    return outcome && [this.planned.indexOf(outcome.planned as RunAttempt), outcome.kind];
  }

  private candidate(): Candidate {
    const planned = {} as RunAttempt;
    this.planned.push(planned);
    return { planned } as Candidate;
  }
}

const served = { kind: 'served' } as Asked;
const stopped = { kind: 'stopped' } as Asked;
const failed = { kind: 'failed' } as Asked;

/** Two offers, asked beside each other: each says, and ends with, what the spec has it. */
async function twoAsked() {
  const lanes: (CallOptions & { end: (asked: Asked) => void })[] = [];
  const raced = new Raced((_index, options) => {
    return new Promise((end) => lanes.push({ ...options, end }));
  });
  const outcome = raced.run();
  const [first, second] = await eventually(() => lanes.length === 2 && lanes);
  if (!first || !second) throw new Error('asked no two');
  return { raced, outcome, first, second };
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

  it('is won by whoever has a first token first: the other is stopped, and nothing it says is heard', async () => {
    const { raced, outcome, first, second } = await twoAsked();
    expect(raced.race.wasHedged).toBe(true);
    // Nothing but a stream shows a first token.
    expect([first.alwaysStreamed, second.alwaysStreamed]).toEqual([true, true]);
    second.output.write('second ');
    expect(raced.written).toBe('');
    second.onFirstToken?.();
    expect(raced.stopped).toEqual([0]);
    // Its first token was on its way already.
    first.output.write('first ');
    first.onFirstToken?.();
    second.output.write('goes on');
    expect(raced.written).toBe('second goes on');
    expect(raced.stopped).toEqual([0]);
    first.end(stopped);
    second.end(served);
    expect(await outcome).toEqual([1, 'served']);
    expect(raced.putBack).toEqual([]);
  });

  it('is won by a reply that is there at once', async () => {
    const { raced, outcome, first, second } = await twoAsked();
    second.output.write('all of it');
    second.end(served);
    await eventually(() => raced.stopped.length > 0);
    first.end(stopped);
    expect(await outcome).toEqual([1, 'served']);
    expect(raced.stopped).toEqual([0]);
    expect(raced.written).toBe('all of it');
  });

  it('has who was stopped asked again when the winner fails unseen', async () => {
    const { raced, outcome, first, second } = await twoAsked();
    second.onFirstToken?.();
    first.end(stopped);
    second.end(failed);
    expect(await outcome).toBeUndefined();
    expect(raced.putBack).toEqual([0]);
  });

  it('has nobody asked again who failed before the winner did', async () => {
    const { raced, outcome, first, second } = await twoAsked();
    second.onFirstToken?.();
    first.end(failed);
    second.end(failed);
    expect(await outcome).toBeUndefined();
    expect(raced.putBack).toEqual([]);
  });

  it('ends as stopped when the client leaves while neither has said anything', async () => {
    const { raced, outcome, first, second } = await twoAsked();
    second.end(stopped);
    first.end(stopped);
    expect(await outcome).toEqual([1, 'stopped']);
    expect(raced.putBack).toEqual([]);
  });

  describe('asks', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    const aWhile = () => jest.advanceTimersByTimeAsync(10 * LATE_AFTER_MS);
    const silence = () => new Promise<Asked>(() => undefined);

    it('no third beside two', async () => {
      const raced = new Raced(silence);
      void raced.run();
      expect([raced.asked, raced.prepared]).toEqual([1, 1]);
      await aWhile();
      expect([raced.asked, raced.prepared]).toEqual([2, 1]);
    });

    it('nobody while it is not known when a first token is late', async () => {
      const raced = new Raced(silence, 0, { lateAfterMs: undefined });
      void raced.run();
      await aWhile();
      expect([raced.asked, raced.prepared]).toEqual([1, 0]);
    });

    it('nobody where there is nobody, and goes on', async () => {
      let end!: (asked: Asked) => void;
      const raced = new Raced(() => new Promise((resolve) => (end = resolve)), 0, { others: 0 });
      const outcome = raced.run();
      await aWhile();
      end(served);
      expect(await outcome).toEqual([0, 'served']);
      expect(raced.race.wasHedged).toBe(false);
    });

    it.each(['is heard', 'has failed', 'ends in an error of ours'] as const)(
      'nobody beside who %s, nor when a place comes only then',
      async (how) => {
        for (const isLate of [false, true]) {
          let first!: CallOptions & { end: (asked: Asked | Promise<Asked>) => void };
          let placeComes!: () => void;
          const raced = new Raced((_index, options) => new Promise((end) => (first = { ...options, end })));
          raced.place = new Promise((resolve) => (placeComes = resolve));
          raced.run().catch(() => undefined);
          if (isLate) await aWhile();
          if (how === 'is heard') first.onFirstToken?.();
          else first.end(how === 'has failed' ? failed : Promise.reject(new Error('a bug of ours')));
          await jest.advanceTimersByTimeAsync(0);
          expect(jest.getTimerCount()).toBe(0);
          placeComes();
          await aWhile();
          expect(raced.asked).toBe(1);
        }
      },
    );
  });
});
