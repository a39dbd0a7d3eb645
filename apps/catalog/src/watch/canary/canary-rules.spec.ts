import { LIFTED_BY_CANARY } from '../watch-codes';
import { judgeCanary, renewalRules } from './canary-rules';

const MINUTE_MS = 60_000;
const PASSED = { passed: true };
const FAILED = { passed: false };

describe('judgeCanary', () => {
  it('has a second canary follow a first that failed at once, and calls the second drift', () => {
    const first = judgeCanary({ watchCode: null, retries: 0 }, FAILED);
    expect(first).toEqual({ effect: 'failed', retries: 1, againInMs: 0 });
    const second = judgeCanary({ watchCode: null, retries: first.retries }, FAILED);
    expect(second).toEqual({ effect: 'suspend', retries: 0, againInMs: MINUTE_MS });
  });

  it('has the second wait a little where the first met what may pass', () => {
    const first = judgeCanary({ watchCode: null, retries: 0 }, { passed: false, isPassing: true });
    expect(first).toEqual({ effect: 'failed', retries: 1, againInMs: MINUTE_MS });
  });

  it('holds what may pass against nobody whom heartbeats do not hear either', () => {
    const silent = { passed: false, isPassing: true };
    expect(judgeCanary({ watchCode: 'no_heartbeat', retries: 1 }, silent)).toMatchObject({
      effect: 'failed',
      retries: 1,
    });
    expect(judgeCanary({ watchCode: 'no_heartbeat', retries: 1 }, FAILED).effect).toBe('suspend');
  });

  it('forgets a failure once one passes', () => {
    expect(judgeCanary({ watchCode: null, retries: 1 }, PASSED)).toEqual({ effect: 'passed', retries: 0 });
  });

  it.each(LIFTED_BY_CANARY)(
    'tries an offer suspended for %s less and less often until it passes',
    (watchCode) => {
      expect(judgeCanary({ watchCode, retries: 0 }, FAILED)).toEqual({
        effect: 'failed',
        retries: 1,
        againInMs: 2 * MINUTE_MS,
      });
      expect(judgeCanary({ watchCode, retries: 5 }, FAILED).againInMs).toBe(60 * MINUTE_MS);
      expect(judgeCanary({ watchCode, retries: 9 }, PASSED)).toEqual({ effect: 'reinstate', retries: 0 });
    },
  );

  it('lifts nothing by one that came too early', () => {
    const verdict = judgeCanary({ watchCode: 'usage_inflated', retries: 2 }, PASSED, false);
    expect(verdict).toEqual({ effect: 'held', retries: 2 });
    expect(judgeCanary({ watchCode: 'usage_inflated', retries: 2 }, FAILED, false).effect).toBe('failed');
  });

  it('takes a canary that passes for a sign of life', () => {
    expect(judgeCanary({ watchCode: 'no_heartbeat', retries: 1 }, PASSED).effect).toBe('reinstate');
    expect(judgeCanary({ watchCode: 'no_heartbeat', retries: 0 }, FAILED)).toMatchObject({
      effect: 'failed',
      againInMs: 0,
    });
  });
});

it('renews a certification in the last tenth of its time, a day at most', () => {
  const DAY_MS = 1_440 * MINUTE_MS;
  expect(renewalRules(5 * DAY_MS).aheadMs).toBe(DAY_MS / 2);
  expect(renewalRules(30 * DAY_MS)).toMatchObject({ aheadMs: DAY_MS, againMs: DAY_MS / 8 });
});

it('forgets no failure while it makes a pause longer, and knows none from before the certification', () => {
  const ttlMs = 30 * 1_440 * MINUTE_MS;
  const { aheadMs, againMs, doublings, rememberedMs } = renewalRules(ttlMs);
  const longestMs = againMs * 2 ** doublings;
  expect(longestMs).toBe(aheadMs);
  expect(rememberedMs).toBeGreaterThan(longestMs * (doublings + 1));
  expect(rememberedMs).toBeLessThan(ttlMs - aheadMs);
});
