import type { HealthReport, OfferHealthReport } from '@svc/contracts';
import { HALF_LIFE_MS } from './decayed-outcomes';
import { OfferHealthService, SILENCE_MS } from './offer-health.service';

function report(
  instanceId: string,
  ...offers: (Partial<OfferHealthReport> & { offerId: string })[]
): HealthReport {
  return {
    instanceId,
    offers: offers.map((offer) => ({ succeeded: 0, failed: 0, invalid: 0, inFlight: 0, ...offer })),
  };
}

describe('OfferHealthService', () => {
  let health: OfferHealthService;

  beforeEach(() => {
    health = new OfferHealthService();
  });

  it('takes an offer of which nothing was heard as healthy and idle', () => {
    expect(health.of('a', 0)).toEqual({ errorRate: 0, firstTokenMs: undefined, inFlight: 0 });
  });

  it('sums what is in flight over the instances, each by its latest report', () => {
    health.record(report('one', { offerId: 'a', inFlight: 3 }, { offerId: 'b', inFlight: 1 }), 0);
    health.record(report('two', { offerId: 'a', inFlight: 4 }), 0);
    expect(health.of('a', 0).inFlight).toBe(7);
    health.record(report('one', { offerId: 'a', inFlight: 2 }), 1_000);
    expect(health.of('a', 1_000).inFlight).toBe(6);
    expect(health.of('b', 1_000).inFlight).toBe(0);
  });

  it('takes a report that comes in parts as one', () => {
    const parts = [
      report('one', { offerId: 'a', inFlight: 3 }),
      { ...report('one', { offerId: 'b', inFlight: 1 }), continues: true },
    ];
    for (const part of parts) health.record(part, 0);
    expect([health.of('a', 0).inFlight, health.of('b', 0).inFlight]).toEqual([3, 1]);
    health.record(report('one', { offerId: 'b', inFlight: 1 }), 1_000);
    expect([health.of('a', 1_000).inFlight, health.of('b', 1_000).inFlight]).toEqual([0, 1]);
  });

  it('forgets what a silent instance had in flight', () => {
    health.record(report('one', { offerId: 'a', inFlight: 3 }), 0);
    expect(health.of('a', SILENCE_MS - 1).inFlight).toBe(3);
    expect(health.of('a', SILENCE_MS).inFlight).toBe(0);
    health.record(report('one', { offerId: 'a', inFlight: 1 }), SILENCE_MS + 1);
    expect(health.of('a', SILENCE_MS + 1).inFlight).toBe(1);
  });

  it('goes on counting what others have in flight while one is silent', () => {
    health.record(report('silent', { offerId: 'a', inFlight: 3 }), 0);
    for (let ms = 500; ms < SILENCE_MS; ms += 1_000) {
      health.record(report('one', { offerId: 'a', inFlight: 4 }), ms);
    }
    expect(health.of('a', SILENCE_MS - 1).inFlight).toBe(7);
    expect(health.of('a', SILENCE_MS).inFlight).toBe(4);
  });

  it('does not condemn an offer for one failure, but for two and nothing else', () => {
    health.record(report('one', { offerId: 'a', failed: 1 }), 0);
    expect(health.of('a', 0).errorRate).toBeCloseTo(1 / 3);
    health.record(report('two', { offerId: 'a', failed: 1 }), 0);
    expect(health.of('a', 0).errorRate).toBeCloseTo(1 / 2);
  });

  it('lets old outcomes fade: by half in a half-life', () => {
    health.record(report('one', { offerId: 'a', failed: 2 }), 0);
    expect(health.of('a', HALF_LIFE_MS).errorRate).toBeCloseTo(1 / 3);
    expect(health.of('a', 2 * HALF_LIFE_MS).errorRate).toBeCloseTo(1 / 5);
    expect(health.of('a', 100 * HALF_LIFE_MS).errorRate).toBeCloseTo(0);
  });

  it('weighs recent successes above old failures', () => {
    health.record(report('one', { offerId: 'a', failed: 50, succeeded: 50 }), 0);
    expect(health.of('a', 0).errorRate).toBeCloseTo(50 / 102);
    health.record(report('one', { offerId: 'a', succeeded: 50 }), 2 * HALF_LIFE_MS);
    expect(health.of('a', 2 * HALF_LIFE_MS).errorRate).toBeCloseTo(12.5 / 77);
  });

  it('means the time to the first token over successes, recent ones most', () => {
    health.record(report('one', { offerId: 'a', succeeded: 2, firstTokenMs: 100 }), 0);
    health.record(report('two', { offerId: 'a', succeeded: 1, firstTokenMs: 400 }), 0);
    expect(health.of('a', 0).firstTokenMs).toBeCloseTo(200);
    health.record(report('one', { offerId: 'a', failed: 5 }), HALF_LIFE_MS);
    expect(health.of('a', HALF_LIFE_MS).firstTokenMs).toBeCloseTo(200);
    health.record(report('one', { offerId: 'a', succeeded: 3, firstTokenMs: 500 }), HALF_LIFE_MS);
    expect(health.of('a', HALF_LIFE_MS).firstTokenMs).toBeCloseTo((1.5 * 200 + 3 * 500) / 4.5);
    expect(health.of('a', 20 * HALF_LIFE_MS).firstTokenMs).toBeUndefined();
  });

  it('counts what was planned here until a report tells', () => {
    for (let plan = 0; plan < 3; plan++) health.planned('a', 0);
    expect(health.of('a', 0).inFlight).toBeCloseTo(3);
    health.record(report('one', { offerId: 'a', inFlight: 2 }), 10);
    expect(health.of('a', 10).inFlight).toBe(2);
    health.planned('a', 20);
    expect(health.of('a', 20).inFlight).toBeCloseTo(3, 1);
  });

  it('expects plans to end as fast as requests have lately ended', () => {
    // 10 under way, 100 a second: a tenth of a second each.
    for (let second = 0; second < 5; second++) {
      const busy = (offerId: string) => report('one', { offerId, inFlight: 10, succeeded: 100 });
      health.record(busy('a'), second * 1_000);
      health.record({ ...busy('b'), continues: true }, second * 1_000);
    }
    for (const offerId of ['a', 'b']) {
      for (let plan = 0; plan < 30; plan++) health.planned(offerId, 4_000);
      expect(health.of(offerId, 4_000).inFlight).toBeCloseTo(40);
      expect(health.of(offerId, 4_100).inFlight).toBeCloseTo(10 + 30 / Math.E, 0);
      expect(health.of(offerId, 4_900).inFlight).toBeCloseTo(10, 0);
    }
  });

  it('takes what one of two instances reports for half the news', () => {
    for (const instanceId of ['one', 'two']) health.record(report(instanceId, { offerId: 'a' }), 0);
    for (let plan = 0; plan < 8; plan++) health.planned('a', 0);
    health.record(report('one', { offerId: 'a', inFlight: 4 }), 0);
    expect(health.of('a', 0).inFlight).toBeCloseTo(7);
  });

  it('forgets what was planned when nothing is heard for long', () => {
    health.record(report('one', { offerId: 'a', inFlight: 1 }), 0);
    for (let plan = 0; plan < 30; plan++) health.planned('a', 0);
    expect(health.of('a', SILENCE_MS).inFlight).toBe(0);
  });
});
