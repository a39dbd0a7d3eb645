import { OfferPlaces } from './offer-places.service';

describe('OfferPlaces', () => {
  it('keeps what is under way within the concurrency', () => {
    const places = new OfferPlaces();
    const offer = { offerId: 'a', concurrency: 2 };
    expect([1, 2, 3].map(() => places.take(offer))).toEqual([true, true, false]);
    expect(places.take({ offerId: 'b', concurrency: 1 })).toBe(true);
    places.giveBack('a');
    expect(places.take(offer)).toBe(true);
  });

  it('gives a place that comes free to who waits, whichever offer it is at', async () => {
    const places = new OfferPlaces();
    const [a, b] = [
      { offerId: 'a', concurrency: 1 },
      { offerId: 'b', concurrency: 1 },
    ];
    expect([places.take(a), places.take(b)]).toEqual([true, true]);
    const waiting = places.wait([a, b], 10_000);
    places.giveBack('b');
    expect(await waiting).toBe('b');
    expect(places.take(b)).toBe(false);
  });

  it('does not wait beyond its time, nor for nobody', async () => {
    const places = new OfferPlaces();
    const offer = { offerId: 'a', concurrency: 1 };
    places.take(offer);
    expect(await places.wait([offer], 5)).toBeUndefined();
    expect(await places.wait([offer], 10_000, AbortSignal.abort())).toBeUndefined();
  });
});
