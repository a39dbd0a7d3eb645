import { nextMomentOf, offerState } from './offer-state';
import type { OfferFacts } from './offer-state';

const now = new Date('2026-11-21T12:00:00Z');
const before = new Date('2026-11-21T11:59:59Z');
const after = new Date('2026-11-21T12:00:01Z');
const later = new Date('2026-11-21T13:00:00Z');

const live: OfferFacts = {
  version: 2,
  expiresAt: later,
  liveVersion: 2,
  liveExpiresAt: later,
  certifiedUntil: later,
  withdrawnAt: null,
  aboveCeiling: null,
  providerSuspensionReason: null,
  suspensionReason: null,
  watchCode: null,
  watchReason: null,
  refusal: null,
};
const never = { liveVersion: null, liveExpiresAt: null, certifiedUntil: null };
const refusal = { probe: 'plain', message: 'no reply' };

/** What speaks against an offer, the weightiest first: each hides those after it. */
const ladder: [string, Partial<OfferFacts>, ReturnType<typeof offerState>][] = [
  ['withdrawn', { withdrawnAt: before }, { state: 'withdrawn' }],
  [
    'expired',
    { expiresAt: now },
    {
      state: 'expired',
      reason: { code: 'expired', message: 'Version 2 ended at 2026-11-21T12:00:00.000Z.' },
    },
  ],
  [
    'dearer than operators have come to allow',
    { aboveCeiling: 'too dear' },
    { state: 'suspended', reason: { code: 'price_above_ceiling', message: 'too dear' } },
  ],
  [
    'its provider suspended',
    { providerSuspensionReason: 'fraud' },
    { state: 'suspended', reason: { code: 'provider_suspended', message: 'fraud' } },
  ],
  [
    'suspended by an operator',
    { suspensionReason: 'test' },
    { state: 'suspended', reason: { code: 'operator', message: 'test' } },
  ],
  [
    'suspended by watching',
    { watchCode: 'drift', watchReason: 'another model answers' },
    { state: 'suspended', reason: { code: 'drift', message: 'another model answers' } },
  ],
  ['refused', { ...never, refusal }, { state: 'refused', reason: { code: 'plain', message: 'no reply' } }],
];

describe('offerState', () => {
  it('is live when nothing speaks against it', () => {
    expect(offerState(live, now)).toEqual({ state: 'live' });
  });

  it.each(ladder)('is %s', (_, facts, standing) => {
    expect(offerState({ ...live, ...facts }, now)).toEqual(standing);
  });

  it('says the weightiest of all that speaks against it', () => {
    for (let from = 0; from < ladder.length; from++) {
      const all = ladder.slice(from).map(([, facts]) => facts);
      const facts = Object.assign({}, live, ...all.reverse()) as OfferFacts;
      expect(offerState(facts, now)).toEqual(ladder[from]?.[2]);
    }
  });

  it('is being certified before any version was, unless that was refused', () => {
    expect(offerState({ ...live, ...never }, now)).toEqual({ state: 'certifying' });
    expect(offerState({ ...live, ...never, refusal }, now).state).toBe('refused');
  });

  it('goes on with the certified version while a newer one is refused, until that ends', () => {
    const newer = { ...live, version: 3, refusal };
    expect(offerState(newer, now).state).toBe('live');
    expect(offerState({ ...newer, liveExpiresAt: now }, now).state).toBe('refused');
    expect(offerState({ ...newer, liveExpiresAt: now, refusal: null }, now).state).toBe('certifying');
  });

  it('is suspended from the moment its certification ends', () => {
    expect(offerState({ ...live, certifiedUntil: after }, now).state).toBe('live');
    expect(offerState({ ...live, certifiedUntil: now }, now)).toEqual({
      state: 'suspended',
      reason: {
        code: 'certification_expired',
        message: 'The certification was good until 2026-11-21T12:00:00.000Z.',
      },
    });
  });
});

describe('nextMomentOf', () => {
  it('is the first of the ends ahead', () => {
    expect(nextMomentOf({ ...live, certifiedUntil: after }, now)).toEqual(after);
    expect(nextMomentOf({ ...live, certifiedUntil: before }, now)).toEqual(later);
    expect(nextMomentOf({ ...live, ...never, expiresAt: before }, now)).toBeUndefined();
  });
});
