import type { RunAttempt } from '@svc/contracts';
import { runRequest } from '../testing/run-request.for-spec';
import { invalid, unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { PlanTrail } from './plan-trail';

const busy: ProviderFailure = { kind: 'busy', reason: 'busy' };

/** The trail of a plan of these offers, `<model>` or `<model>/<mapping>` each. */
function trailOf(...models: string[]): { trail: PlanTrail; attempts: RunAttempt[] } {
  const request = runRequest(models.map((_, index) => `offer-${index}`));
  for (const [index, attempt] of request.attempts.entries()) {
    const [model = '', mapping] = models[index]?.split('/') ?? [];
    Object.assign(attempt, { model: `svc/${model}@1`, mapping });
  }
  request.passedOver = [{ offerId: 'dear', why: 'asks too much' }];
  return { trail: new PlanTrail(request), attempts: request.attempts };
}

describe('PlanTrail', () => {
  it('keeps for each offer of the plan what became of it, and what was passed over', () => {
    const { trail, attempts } = trailOf('a', 'a', 'b', 'c', 'd/v');
    const became = [busy, unavailable('status_5xx'), 'stopped', 'served'] as const;
    for (const [index, what] of became.entries()) trail.note(attempts[index] as RunAttempt, what);
    expect(trail.route.map(({ offerId, outcome }) => `${offerId} ${outcome}`)).toEqual([
      'offer-0 busy',
      'offer-1 status_5xx',
      'offer-2 stopped',
      'offer-3 served',
      'offer-4 not_tried',
      'dear passed_over',
    ]);
    expect(trail.route[0]?.why).toBe('the test says so');
    expect(trail.busy).toEqual([attempts[0]]);
    trail.note(attempts[0] as RunAttempt, 'served');
    expect(trail.busy).toEqual([]);
  });

  it.each<[string[], ProviderFailure[], string]>([
    [['a'], [], 'available'],
    [['a', 'b'], [unavailable('status_5xx')], 'failover:1'],
    [['a', 'b', 'a', 'c'], [unavailable('status_5xx'), invalid('shape'), invalid('shape')], 'failover:2'],
    // Another offer of the same model: no model has failed.
    [['a', 'a'], [unavailable('status_5xx')], 'available'],
    [['a', 'b'], [busy], 'available'],
    [['a', 'b'], [unavailable('offer_gone')], 'available'],
    [['a', 'b', 'c'], [unavailable('offer_gone'), unavailable('status_5xx')], 'failover:1'],
    [['a', 'b'], [unavailable('breaker_open', 3)], 'failover:1'],
    [['v/vendor'], [], 'managed:no_provider'],
    [['a', 'b', 'v/vendor'], [busy, busy], 'managed:providers_busy'],
    [['a', 'b', 'v/vendor'], [busy, unavailable('status_5xx')], 'managed:providers_failed'],
    [['v/vendor', 'v/other'], [unavailable('status_5xx')], 'managed:no_provider'],
  ])('%j after %j is %s', (models, failures, reason) => {
    const { trail, attempts } = trailOf(...models);
    for (const [index, failure] of failures.entries()) trail.note(attempts[index] as RunAttempt, failure);
    const serving = attempts.at(-1) as RunAttempt;
    trail.note(serving, 'served');
    expect(trail.reasonFor(serving)).toBe(reason);
  });

  it.each<[string, number, string]>([
    ['before it', 1, 'failover:1'],
    ['behind it, after it or beside it', 0, 'available'],
  ])('of those that failed counts who stands %s', (_, at, reason) => {
    const { trail, attempts } = trailOf('a', 'b');
    for (const each of attempts) trail.noteCall(each);
    trail.note(attempts[1 - at] as RunAttempt, invalid('wordless'));
    trail.note(attempts[at] as RunAttempt, 'served');
    expect(trail.reasonFor(attempts[at] as RunAttempt)).toBe(reason);
    expect(trail.asked).toBe(2);
  });

  it('counts who failed while the one that serves was busy', () => {
    const { trail, attempts } = trailOf('a', 'b');
    const [first, second] = attempts as [RunAttempt, RunAttempt];
    trail.note(first, busy);
    trail.noteCall(second);
    trail.note(second, unavailable('status_5xx'));
    trail.noteCall(first);
    trail.note(first, 'served');
    expect(trail.reasonFor(first)).toBe('failover:1');
  });
});
