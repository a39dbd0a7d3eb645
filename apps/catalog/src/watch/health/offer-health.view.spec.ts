import { healthOf } from './offer-health.for-spec';
import { MOST_OFFERS, OfferHealthView } from './offer-health.view';

describe('OfferHealthView', () => {
  it('shows what is known of an offer and nothing of one that is not heard of', () => {
    const view = new OfferHealthView();
    expect(view.of('a', 0)).toEqual({});
    view.record(healthOf('a', { succeeded: 3, failed: 1, firstTokenMs: 80, tokensPerSecond: 20 }), 0);
    expect(view.of('a', 0)).toEqual({
      errorRate: 0.25,
      invalidRate: 0,
      firstTokenMs: 80,
      tokensPerSecond: 20,
    });
    view.forget('a');
    expect(view.of('a', 0)).toEqual({});
  });

  it('says whether a request succeeded of late', () => {
    const view = new OfferHealthView();
    view.record(healthOf('a', { succeeded: 1 }), 1_000);
    view.record(healthOf('b', { failed: 1 }), 1_000);
    expect(view.succeededWithin('a', 500, 1_499)).toBe(true);
    expect(view.succeededWithin('a', 500, 1_500)).toBe(false);
    expect(view.succeededWithin('b', 500, 1_000)).toBe(false);
    expect(view.succeededWithin('c', 500, 1_000)).toBe(false);
  });

  it('takes what comes of a long reply for a sign of life', () => {
    const view = new OfferHealthView();
    view.record(healthOf('a', { inFlight: 1, progressed: true }), 1_000);
    view.record(healthOf('b', { inFlight: 1 }), 1_000);
    view.record(healthOf('c', { succeeded: 1 }), 1_000);
    expect(['a', 'b', 'c'].map((id) => view.livedWithin(id, 500, 1_499))).toEqual([true, false, true]);
    expect(['a', 'b', 'c'].map((id) => view.livedWithin(id, 500, 1_500))).toEqual([false, false, false]);
    expect(view.of('a', 1_000)).toEqual({});
  });

  it('lets an offer be checked once in a while', () => {
    const view = new OfferHealthView();
    expect(view.mayCheck('a', 100, 0)).toBe(false);
    view.record(healthOf('a', { failed: 1 }), 0);
    expect([0, 99, 100, 199].map((nowMs) => view.mayCheck('a', 100, nowMs))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('is bounded: forgets whoever it has not heard of for longest', () => {
    const view = new OfferHealthView();
    for (let index = 0; index < MOST_OFFERS; index++) view.record(healthOf(`o${index}`, { succeeded: 1 }), 0);
    view.record(healthOf('o0', { succeeded: 1 }), 1);
    view.record(healthOf('new', { succeeded: 1 }), 2);
    expect(view.of('o1', 2)).toEqual({});
    expect(view.of('o0', 2)).not.toEqual({});
    expect(view.of('new', 2)).not.toEqual({});
  });
});
