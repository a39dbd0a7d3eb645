import { HALF_LIFE_MS, OfferEstimate } from './offer-estimate';
import { healthOf } from './offer-health.for-spec';

describe('OfferEstimate', () => {
  it('knows nothing at first', () => {
    const estimate = new OfferEstimate(0);
    expect(estimate.figures(0)).toEqual({ weight: 0 });
    expect(estimate.lastSuccessMs).toBe(-Infinity);
  });

  it('takes shares of all attempts', () => {
    const estimate = new OfferEstimate(0);
    estimate.add(healthOf('a', { succeeded: 6, failed: 4, invalid: 1 }), 0);
    expect(estimate.figures(0)).toEqual({ weight: 10, errorRate: 0.4, invalidRate: 0.1 });
  });

  it('lets attempts fade by half in a half-life, so that recent ones count more', () => {
    const estimate = new OfferEstimate(0);
    estimate.add(healthOf('a', { failed: 8, invalid: 8 }), 0);
    expect(estimate.figures(HALF_LIFE_MS)).toMatchObject({ weight: 4, errorRate: 1 });
    estimate.add(healthOf('a', { succeeded: 4 }), HALF_LIFE_MS);
    expect(estimate.figures(HALF_LIFE_MS)).toMatchObject({ weight: 8, errorRate: 0.5, invalidRate: 0.5 });
    expect(estimate.figures(20 * HALF_LIFE_MS)).toEqual({ weight: expect.closeTo(0) as number });
  });

  it('means first-token time and speed over the successes that measured them', () => {
    const estimate = new OfferEstimate(0);
    estimate.add(healthOf('a', { succeeded: 3, firstTokenMs: 100, tokensPerSecond: 40 }), 0);
    estimate.add(healthOf('a', { succeeded: 1, firstTokenMs: 500 }), 0);
    expect(estimate.figures(0)).toMatchObject({ firstTokenMs: 200, tokensPerSecond: 40 });
    estimate.add(healthOf('a', { failed: 1, firstTokenMs: 9_000 }), 0);
    expect(estimate.figures(0).firstTokenMs).toBe(200);
    estimate.add(healthOf('a', { succeeded: 2, firstTokenMs: 800, tokensPerSecond: 10 }), HALF_LIFE_MS);
    expect(estimate.figures(HALF_LIFE_MS).firstTokenMs).toBeCloseTo((2 * 200 + 2 * 800) / 4);
    expect(estimate.figures(HALF_LIFE_MS).tokensPerSecond).toBeCloseTo((1.5 * 40 + 2 * 10) / 3.5);
  });

  it('knows when a request succeeded last', () => {
    const estimate = new OfferEstimate(0);
    estimate.add(healthOf('a', { succeeded: 1 }), 5);
    estimate.add(healthOf('a', { failed: 1 }), 9);
    expect(estimate.lastSuccessMs).toBe(5);
  });
});
