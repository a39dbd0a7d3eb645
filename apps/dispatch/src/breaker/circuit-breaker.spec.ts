import fc from 'fast-check';
import { CircuitBreaker, LONGEST_OPEN_MS } from './circuit-breaker';
import type { BreakerState, Passage } from './circuit-breaker';

/** A breaker with a clock of its own, and no jitter unless told. */
class Timed {
  readonly states: BreakerState[] = [];
  nowMs = 0;
  readonly breaker: CircuitBreaker;

  constructor(random: () => number = () => 0.5) {
    this.breaker = new CircuitBreaker((state) => this.states.push(state), random);
  }

  enter(): Passage {
    const passage = this.breaker.enter(this.nowMs);
    if (!passage) throw new Error('not admitted');
    return passage;
  }

  fail(times = 1, pauseMs?: number): void {
    for (let time = 0; time < times; time++) this.breaker.failed(this.enter(), this.nowMs, pauseMs);
  }

  succeed(times = 1): void {
    for (let time = 0; time < times; time++) this.breaker.succeeded(this.enter(), this.nowMs);
  }

  /** When it lets the next request through, from now, ms. */
  get waitMs(): number {
    return this.breaker.waitMs(this.nowMs);
  }
}

describe('CircuitBreaker', () => {
  it('opens after five failures in a row, not after four', () => {
    const timed = new Timed();
    timed.fail(4);
    timed.succeed();
    timed.fail(4);
    expect(timed.states).toEqual([]);
    timed.fail();
    expect(timed.states).toEqual(['open']);
    expect(timed.breaker.admits(timed.nowMs)).toBe(false);
    expect(timed.waitMs).toBe(1_000);
  });

  it('opens when half of what is known fails, however mixed', () => {
    const timed = new Timed();
    for (let turn = 0; turn < 4; turn++) {
      timed.succeed();
      timed.fail();
    }
    timed.succeed();
    expect(timed.states).toEqual([]);
    timed.fail();
    expect(timed.states).toEqual(['open']);
  });

  it('goes by the last twenty, and forgets what is past', () => {
    for (const [served, states] of [
      [2, ['open']],
      [3, []],
    ] as const) {
      const timed = new Timed();
      timed.fail(4);
      timed.succeed(16);
      timed.fail();
      timed.succeed(served);
      for (let turn = 0; turn < 8; turn++) {
        timed.fail();
        timed.succeed();
      }
      expect(timed.states).toEqual([]);
      timed.fail();
      expect(timed.states).toEqual(states);
    }
  });

  it('half open lets one through; its success closes, its failure opens for twice as long, up to 30 s', () => {
    const timed = new Timed();
    timed.fail(5);
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      waits.push(timed.waitMs);
      timed.nowMs += timed.waitMs;
      const probe = timed.enter();
      expect(timed.breaker.state).toBe('half_open');
      expect(timed.breaker.enter(timed.nowMs)).toBeUndefined();
      timed.breaker.failed(probe, timed.nowMs);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    timed.nowMs += timed.waitMs;
    timed.succeed();
    expect(timed.states.slice(-3)).toEqual(['open', 'half_open', 'closed']);
    expect(timed.breaker.admits(timed.nowMs)).toBe(true);
  });

  it('knows nothing at first, nor when it has closed of what was before', () => {
    const closedAgain = () => {
      const timed = new Timed();
      timed.fail(5);
      timed.nowMs += 1_000;
      timed.succeed();
      timed.states.length = 0;
      return timed;
    };
    for (const begin of [() => new Timed(), closedAgain]) {
      const [mostServed, fewKnown] = [begin(), begin()];
      mostServed.succeed(6);
      mostServed.fail(4);
      fewKnown.fail(4);
      fewKnown.succeed();
      fewKnown.fail(4);
      expect([mostServed.states, fewKnown.states]).toEqual([[], []]);
    }
  });

  it('begins with one second again only after it has been closed for a while', () => {
    const timed = new Timed();
    timed.nowMs = 1_000_000;
    timed.fail(5);
    timed.nowMs += 1_000;
    timed.succeed();
    timed.nowMs += 1_000;
    timed.fail(5);
    expect(timed.waitMs).toBe(2_000);
    timed.nowMs += 2_000;
    timed.succeed();
    timed.nowMs += 30_000;
    timed.fail(5);
    expect(timed.waitMs).toBe(1_000);
  });

  it('opens at once for as long as the provider asks, between one second and thirty', () => {
    for (const [asked, waits] of [
      [7_000, 7_000],
      [0, 1_000],
      [900_000, 30_000],
    ] as const) {
      const timed = new Timed(() => 0);
      timed.fail(1, asked);
      expect(timed.waitMs).toBe(waits);
    }
  });

  it('stays open for a quarter less to a quarter more, but never less than the provider asks', () => {
    const waits = (random: number, asked?: number) => {
      const timed = new Timed(() => random);
      timed.fail(asked === undefined ? 5 : 1, asked);
      return timed.waitMs;
    };
    expect([waits(0), waits(1)]).toEqual([750, 1_250]);
    expect([waits(0, 8_000), waits(1, 8_000)]).toEqual([8_000, 10_000]);
  });

  it('a probe that says nothing of the offer makes way for the next', () => {
    const timed = new Timed();
    timed.fail(5);
    timed.nowMs += 1_000;
    const first = timed.enter();
    timed.breaker.makeWay(first);
    const second = timed.enter();
    // The first one's end does not make way for a third beside the second.
    timed.breaker.makeWay(first);
    expect(timed.breaker.enter(timed.nowMs)).toBeUndefined();
    timed.breaker.succeeded(second, timed.nowMs);
    expect(timed.states).toEqual(['open', 'half_open', 'closed']);
  });

  it('what began before it opened neither closes nor prolongs', () => {
    const timed = new Timed();
    const [slow, doomed] = [timed.enter(), timed.enter()];
    timed.fail(5);
    timed.breaker.succeeded(slow, timed.nowMs);
    timed.breaker.failed(doomed, timed.nowMs, 20_000);
    expect([timed.breaker.state, timed.waitMs]).toEqual(['open', 1_000]);
  });

  it('whatever happens: one probe at a time, never open for longer than 30 s, and a state only by its rules', () => {
    const step = fc.record({
      act: fc.constantFrom('enter', 'succeed', 'fail', 'makeWay'),
      which: fc.integer({ min: 0, max: 30 }),
      afterMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 40_000 })),
      pauseMs: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.boolean(), (steps, high) => {
        const states: BreakerState[] = ['closed'];
        const breaker = new CircuitBreaker(
          (state) => states.push(state),
          () => (high ? 0.999 : 0),
        );
        let nowMs = 0;
        const inside: Passage[] = [];
        let probe: Passage | undefined;
        for (const { act, which, afterMs, pauseMs } of steps) {
          nowMs += afterMs;
          const wasOpen = breaker.state !== 'closed';
          if (act === 'enter') {
            const admits = breaker.admits(nowMs);
            const waitMs = breaker.waitMs(nowMs);
            const passage = breaker.enter(nowMs);
            expect(passage !== undefined).toBe(admits);
            if (wasOpen) expect(admits).toBe(waitMs === 0 && probe === undefined);
            else expect(admits).toBe(true);
            if (passage) inside.push(passage);
            if (wasOpen && passage) probe = passage;
            continue;
          }
          const [passage] = inside.length === 0 ? [] : inside.splice(which % inside.length, 1);
          if (!passage) continue;
          if (act === 'succeed') breaker.succeeded(passage, nowMs);
          else if (act === 'fail') breaker.failed(passage, nowMs, pauseMs);
          else breaker.makeWay(passage);
          if (probe === passage || breaker.state !== 'half_open') probe = undefined;
          expect(breaker.waitMs(nowMs)).toBeLessThanOrEqual(LONGEST_OPEN_MS);
        }
        const follows: Record<BreakerState, BreakerState[]> = {
          closed: ['open'],
          open: ['half_open'],
          half_open: ['open', 'closed'],
        };
        for (const [index, state] of states.slice(1).entries()) {
          expect(follows[states[index] ?? 'closed']).toContain(state);
        }
      }),
      { numRuns: 500 },
    );
  });
});
