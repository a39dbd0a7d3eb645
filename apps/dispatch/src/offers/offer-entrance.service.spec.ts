import type { RunAttempt } from '@svc/contracts';
import type { Breakers } from '../breaker/breakers.service';
import type { Run } from '../live-run/run';
import type { OfferPlaces } from '../places/offer-places.service';
import { runRequest } from '../testing/run-request.for-spec';
import type { Offer, OfferDirectory } from './offer-directory.service';
import { OfferEntrance } from './offer-entrance.service';
import type { Entered } from './offer-entrance.service';
import type { OfferLoad } from './offer-load.service';
import { OfferPrices } from './offer-prices';

/** An entrance, and what stands behind it: each offer of a plan is as `offers` says, and its places are taken and given back. */
function setUp() {
  const { attempts, hold } = runRequest(['a', 'b']);
  const [a, b] = attempts as [RunAttempt, RunAttempt];
  const offers = new Map(attempts.map((planned) => [planned.offerId, offerOf(planned)]));
  const said: string[] = [];
  const say = (what: string) => (offerId: string) => void said.push(`${what} ${offerId}`);
  const breakers = {
    admits: jest.fn(() => true),
    enter: jest.fn<object | undefined, []>(() => ({})),
    makeWay: say('made way'),
    retryAfterSeconds: () => 7,
  };
  const places = {
    take: jest.fn(() => true),
    takeSoon: jest.fn(() => Promise.resolve(true)),
    wait: jest.fn(() => Promise.resolve<string | undefined>('b')),
    giveBack: say('gave back'),
  };
  const entrance = new OfferEntrance(
    { find: (offerId: string) => offers.get(offerId) } as OfferDirectory,
    breakers as unknown as Breakers,
    places as unknown as OfferPlaces,
    { enter: say('entered'), leave: say('left') } as unknown as OfferLoad,
  );
  const run = { request: { hold } } as Run;
  return { a, b, offers, said, breakers, places, entrance, run };
}

/** On the terms that the plan says. */
function offerOf(planned: RunAttempt, changes: Partial<Offer> = {}): Offer {
  const target = { origin: 'https://p.example', completionsPath: '/c', modelsPath: '/m' };
  return { ...planned, opened: { target }, prices: new OfferPrices(planned), ...changes } as Offer;
}

const reasonOf = (entered: Entered | undefined) =>
  entered && 'failure' in entered ? entered.failure.reason : undefined;

/** What may become of an offer while a request waits for a place there, and what is said of it then. */
const CHANGES: [string, (offers: Map<string, Offer>, planned: RunAttempt) => void, string][] = [
  ['is gone', (offers, { offerId }) => offers.delete(offerId), 'offer_gone'],
  [
    'is another provider’s',
    (offers, planned) => offers.set(planned.offerId, offerOf(planned, { provider: '0x' })),
    'offer_gone',
  ],
  [
    'cannot be read',
    (offers, planned) =>
      offers.set(planned.offerId, offerOf(planned, { opened: { problem: 'credential_unreadable' } })),
    'credential_unreadable',
  ],
];

describe('OfferEntrance', () => {
  it('lets through to an offer of the plan that has a place, which is left again', () => {
    const { a, entrance, said } = setUp();
    const entered = entrance.enter(a);
    if (!('candidate' in entered)) throw new Error('it was not let through');
    expect(entered.candidate).toMatchObject({ planned: a, offer: { offerId: 'a' } });
    entrance.leave(entered.candidate);
    expect(said).toEqual(['entered a', 'made way a', 'left a', 'gave back a']);
  });

  it('takes no place at an offer whose breaker is open, nor keeps one where the breaker opened', () => {
    const { a, entrance, breakers, places, said } = setUp();
    breakers.admits.mockReturnValueOnce(false);
    expect(entrance.enter(a)).toMatchObject({ failure: { reason: 'breaker_open', retryAfterSeconds: 7 } });
    expect(places.take).not.toHaveBeenCalled();
    breakers.enter.mockReturnValueOnce(undefined);
    expect(reasonOf(entrance.enter(a))).toBe('breaker_open');
    expect(said).toEqual(['gave back a']);
  });

  it('says of an offer without a free place that it is busy', () => {
    const { a, entrance, places, said } = setUp();
    places.take.mockReturnValue(false);
    expect(reasonOf(entrance.enter(a))).toBe('busy');
    expect(said).toEqual([]);
  });

  it.each(CHANGES)('takes no place at an offer that %s', (_, change, reason) => {
    const { a, entrance, offers, places } = setUp();
    change(offers, a);
    expect(reasonOf(entrance.enter(a))).toBe(reason);
    expect(places.take).not.toHaveBeenCalled();
  });

  describe('after a wait for a place', () => {
    it('asks the offer as it is by then', async () => {
      const { a, b, entrance, offers, places, run } = setUp();
      places.take.mockReturnValue(false);
      const changed = (planned: RunAttempt) => {
        const offer = offerOf(planned, { version: 2 });
        offers.set(planned.offerId, offer);
        return offer;
      };
      places.takeSoon.mockImplementation(() => Promise.resolve(changed(a)).then(() => true));
      const soon = await entrance.enterSoon(a, run);
      expect('candidate' in soon && soon.candidate.offer).toBe(offers.get('a'));
      places.wait.mockImplementation(() => Promise.resolve(changed(b).offerId));
      const any = await entrance.enterAny([a, b], 100, run);
      expect(any && 'candidate' in any && any.candidate.offer).toBe(offers.get('b'));
    });

    it.each(CHANGES)('gives the place back where the offer %s by then', async (_, change, reason) => {
      const { a, b, entrance, offers, places, run, said } = setUp();
      places.take.mockReturnValue(false);
      places.takeSoon.mockImplementation(() => {
        change(offers, a);
        return Promise.resolve(true);
      });
      const soon = await entrance.enterSoon(a, run);
      expect([soon, reasonOf(soon)]).toMatchObject([{ planned: a }, reason]);
      offers.set('a', offerOf(a));
      places.wait.mockImplementation(() => {
        change(offers, b);
        return Promise.resolve('b');
      });
      const any = await entrance.enterAny([a, b], 100, run);
      expect([any, reasonOf(any)]).toMatchObject([{ planned: b }, reason]);
      expect(said).toEqual(['gave back a', 'gave back b']);
    });

    it('has no place where none came free in time', async () => {
      const { a, b, entrance, places, run, said } = setUp();
      places.take.mockReturnValue(false);
      places.takeSoon.mockResolvedValue(false);
      expect(reasonOf(await entrance.enterSoon(a, run))).toBe('busy');
      places.wait.mockResolvedValue(undefined);
      expect(await entrance.enterAny([a, b], 100, run)).toBeUndefined();
      expect(said).toEqual([]);
    });
  });
});
