import { OfferEvidence } from './offer-evidence';
import { healthOf } from './offer-health.for-spec';

const HALF_LIFE_MS = 1_000;

describe('OfferEvidence', () => {
  it('counts no more as blamed than failed', () => {
    const evidence = new OfferEvidence(HALF_LIFE_MS);
    evidence.add(healthOf('a', { failed: 2, invalid: 9, blamed: 9, blamedInvalid: 9 }), 0);
    expect(evidence.at(0)).toMatchObject({ failed: 2, invalid: 2, blamed: 2, blamedInvalid: 2 });
    evidence.add(healthOf('a', { failed: 5, blamed: 1, blamedInvalid: 5 }), 0);
    expect(evidence.at(0)).toMatchObject({ failed: 7, blamed: 3, blamedInvalid: 3 });
  });

  it('tells wallets apart over all reports, and forgets them', () => {
    const evidence = new OfferEvidence(HALF_LIFE_MS);
    const failed = (...blamedBy: string[]) => healthOf('a', { failed: 1, blamed: 1, blamedBy });
    for (let times = 0; times < 9; times++) evidence.add(failed('x'), 0);
    expect(evidence.at(0).blamedBy).toBe(1);
    evidence.add(failed('y', 'z'), 1_500);
    expect(evidence.at(1_999).blamedBy).toBe(3);
    expect(evidence.at(2_000).blamedBy).toBe(2);
    evidence.add(failed('x'), 3_000);
    expect(evidence.at(3_600).blamedBy).toBe(1);
  });

  it('is bounded', () => {
    const evidence = new OfferEvidence(HALF_LIFE_MS);
    for (let wallet = 0; wallet < 1_000; wallet++) {
      evidence.add(healthOf('a', { inflatedBy: [`w${wallet}`] }), 0);
    }
    expect(evidence.at(0).inflatedBy).toBe(16);
  });

  it('fades', () => {
    const evidence = new OfferEvidence(HALF_LIFE_MS);
    evidence.add(healthOf('a', { claims: 4, claimedTokens: 100, outputBytes: 400 }), 0);
    evidence.fade(0.5);
    expect(evidence.at(0)).toMatchObject({ claims: 2, claimedTokens: 50, outputBytes: 200 });
  });
});
