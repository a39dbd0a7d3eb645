import { FAILING, INVALID_OUTPUT, isOurFault, judgeHealth } from './health-rules';
import { healthOf } from './offer-health.for-spec';

describe('judgeHealth', () => {
  it.each([
    ['nothing is known', { weight: 0 }],
    ['too little is known of errors', { weight: FAILING.weight - 0.1, errorRate: 1, invalidRate: 0 }],
    ['few fail', { weight: 1_000, errorRate: FAILING.errorRate - 0.01, invalidRate: 0 }],
    [
      'too little is known of invalid output',
      { weight: INVALID_OUTPUT.weight - 0.1, errorRate: 1, invalidRate: 1 },
    ],
    ['little is invalid', { weight: 1_000, errorRate: 0.3, invalidRate: INVALID_OUTPUT.invalidRate - 0.01 }],
  ])('says nothing while %s', (_, figures) => {
    expect(judgeHealth(figures)).toBeUndefined();
  });

  it('finds an offer failing, in words', () => {
    expect(judgeHealth({ weight: FAILING.weight, errorRate: 0.5, invalidRate: 0 })).toEqual({
      code: 'failing',
      reason: '50% of about 20 recent requests failed',
    });
  });

  it('finds output invalid, which says more than failing', () => {
    expect(judgeHealth({ weight: 40.4, errorRate: 0.9, invalidRate: 0.25 })).toEqual({
      code: 'invalid_output',
      reason: '25% of about 40 recent requests were answered with what must not be delivered',
    });
    expect(judgeHealth({ weight: 10, errorRate: 0.2, invalidRate: 0.2 })?.code).toBe('invalid_output');
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
