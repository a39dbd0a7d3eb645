import { ExpectedLoad } from './expected-load';

const LONG_MS = 1e9;

describe('ExpectedLoad', () => {
  it('counts what was planned since the last report', () => {
    const load = new ExpectedLoad(0);
    load.report(3, 1, 0, LONG_MS);
    for (let plan = 0; plan < 5; plan++) load.plan(500, LONG_MS);
    expect(load.inFlight(500, LONG_MS)).toBeCloseTo(8);
    load.report(8, 1, 1_000, LONG_MS);
    expect(load.inFlight(1_000, LONG_MS)).toBeCloseTo(8);
  });

  it('forgets at the next report what was planned and did not come', () => {
    const load = new ExpectedLoad(0);
    for (let plan = 0; plan < 5; plan++) load.plan(0, LONG_MS);
    load.report(1, 1, 1_000, LONG_MS);
    expect(load.inFlight(1_000, LONG_MS)).toBeCloseTo(1);
    load.plan(1_000, LONG_MS);
    expect(load.inFlight(1_000, LONG_MS)).toBeCloseTo(2);
  });

  it('does not count a steady flow twice', () => {
    const load = new ExpectedLoad(0);
    // One a millisecond, 20 ms each: about 20 are under way.
    for (let ms = 1; ms <= 3_000; ms++) {
      load.plan(ms, 20);
      if (ms % 1_000 === 0) load.report(20, 1, ms, 20);
    }
    expect(load.inFlight(3_000, 20)).toBeCloseTo(20, 0);
    for (let ms = 3_001; ms <= 3_999; ms++) load.plan(ms, 20);
    expect(Math.abs(load.inFlight(3_999, 20) - 20)).toBeLessThan(2);
  });

  it('expects a flow that ends to run dry, and nothing below 0', () => {
    const load = new ExpectedLoad(0);
    for (let plan = 0; plan < 8; plan++) load.plan(0, 100);
    load.report(8, 1, 0, 100);
    expect(load.inFlight(100, 100)).toBeCloseTo(8 / Math.E);
    expect(load.inFlight(10_000, 100)).toBeCloseTo(0);
    load.report(0, 1, 10_000, 100);
    expect(load.inFlight(10_001, 100)).toBe(0);
    load.plan(11_000, 100);
    expect(load.inFlight(11_000, 100)).toBeCloseTo(1);
  });

  it('takes one of several instances for its share', () => {
    const load = new ExpectedLoad(0);
    for (let plan = 0; plan < 8; plan++) load.plan(0, LONG_MS);
    // Four of them went to the instance that reports; the other has yet to.
    load.report(4, 1 / 2, 0, LONG_MS);
    expect(load.inFlight(0, LONG_MS)).toBeCloseTo(7);
    load.report(8, 1 / 2, 500, LONG_MS);
    expect(Math.abs(load.inFlight(500, LONG_MS) - 8)).toBeLessThan(2);
  });
});
