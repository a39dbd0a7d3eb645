import type { Evidence } from './offer-evidence';
import {
  FAILING,
  FAILURES_OF_FEW_WALLETS,
  INVALID_OUTPUT,
  USAGE_INFLATED,
  WALLETS_TO_SUSPEND,
  isOurFault,
  judgeHealth,
} from './health-rules';
import { healthOf } from './offer-health.for-spec';

const evidence = (changes: Partial<Evidence>): Evidence => ({
  succeeded: 0,
  failed: 0,
  invalid: 0,
  blamed: 0,
  blamedInvalid: 0,
  blamedBy: 0,
  claims: 0,
  claimedTokens: 0,
  outputBytes: 0,
  inflatedBy: 0,
  ...changes,
});

/** Failures that are the offer's, met by so many. */
const blamed = (count: number, invalid: number, wallets = WALLETS_TO_SUSPEND) => ({
  failed: count,
  invalid,
  blamed: count,
  blamedInvalid: invalid,
  blamedBy: wallets,
});

describe('judgeHealth', () => {
  it.each([
    ['nothing is known', {}],
    ['too little is known of errors', blamed(FAILING.weight - 0.1, 0)],
    ['few fail', { succeeded: 510, ...blamed(490, 0) }],
    [
      'too little is known of invalid output',
      blamed(INVALID_OUTPUT.weight - 0.1, INVALID_OUTPUT.weight - 0.1),
    ],
    ['little is invalid', { succeeded: 810, ...blamed(190, 190) }],
  ])('says nothing while %s', (_, changes) => {
    expect(judgeHealth(evidence(changes))).toBeUndefined();
  });

  it('finds an offer failing, in words', () => {
    expect(judgeHealth(evidence({ succeeded: 10, ...blamed(10, 0) }))).toEqual({
      act: 'suspend',
      code: 'failing',
      reason: '50% of about 20 recent requests failed.',
    });
  });

  it('finds output invalid, which says more than failing', () => {
    expect(judgeHealth(evidence({ succeeded: 4, ...blamed(36.4, 10.1) }))).toEqual({
      act: 'suspend',
      code: 'invalid_output',
      reason: '25% of about 40 recent requests were answered with what must not be delivered.',
    });
    expect(judgeHealth(evidence({ succeeded: 8, ...blamed(2, 2) }))?.code).toBe('invalid_output');
  });

  it('suspends nobody for what requests may have caused, however many failed: a canary looks', () => {
    for (const succeeded of [0, 5, 100]) {
      const verdict = judgeHealth(evidence({ succeeded, failed: 10_000, invalid: 10_000 }));
      expect(verdict).toMatchObject({ act: 'check', code: 'invalid_output' });
    }
    expect(judgeHealth(evidence({ failed: 10_000 }))).toMatchObject({ act: 'check', code: 'failing' });
    // Nor does it make what is blamed weigh less, or more.
    expect(judgeHealth(evidence({ succeeded: 8, ...blamed(2, 2), failed: 10_000 }))).toMatchObject({
      act: 'suspend',
      reason: expect.stringMatching(/^20% of about 10 /) as string,
    });
  });

  it('does not take the word of one or two wallets, unless it is a long one', () => {
    for (const wallets of [1, 2]) {
      expect(judgeHealth(evidence(blamed(FAILURES_OF_FEW_WALLETS - 1, 0, wallets)))?.act).toBe('check');
      expect(judgeHealth(evidence(blamed(FAILURES_OF_FEW_WALLETS, 0, wallets)))?.act).toBe('suspend');
      expect(judgeHealth(evidence(blamed(100, FAILURES_OF_FEW_WALLETS - 1, wallets)))?.act).toBe('check');
    }
    expect(judgeHealth(evidence({ succeeded: 990, ...blamed(60, 60, 1) }))).toBeUndefined();
  });

  it('finds claims that cannot be, over many replies to several', () => {
    const claims = { claims: USAGE_INFLATED.claims, claimedTokens: 2_000, inflatedBy: WALLETS_TO_SUSPEND };
    expect(judgeHealth(evidence({ ...claims, outputBytes: 2_000 }))).toEqual({
      act: 'suspend',
      code: 'usage_inflated',
      reason: 'About 20 recent replies claim a token for every 1.0 bytes written; text has 3 to 5.',
    });
    expect(judgeHealth(evidence({ ...claims, outputBytes: 3_600 }))).toBeUndefined();
    expect(judgeHealth(evidence({ ...claims, outputBytes: 2_000, claims: 19.9 }))).toBeUndefined();
    // One who has nothing but digits written does not get an offer suspended.
    expect(judgeHealth(evidence({ ...claims, outputBytes: 2_000, inflatedBy: 2 }))?.act).toBe('check');
  });
});

describe('isOurFault', () => {
  const failing = Array.from({ length: 10 }, (_, index) => healthOf(`o${index}`, { failed: 3 }));
  const idle = healthOf('idle', { inFlight: 1 });

  it('is where many offers were tried at once and nothing succeeded', () => {
    expect(isOurFault({ instanceId: 'one', offers: [...failing, idle] })).toBe(true);
  });

  it('is not where anything succeeded, or few were tried', () => {
    const one = healthOf('one', { succeeded: 1 });
    expect(isOurFault({ instanceId: 'one', offers: [...failing, one] })).toBe(false);
    expect(isOurFault({ instanceId: 'one', offers: [...failing.slice(1), idle] })).toBe(false);
    expect(isOurFault({ instanceId: 'one', offers: [] })).toBe(false);
  });
});
