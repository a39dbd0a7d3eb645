import { invalid, unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { brokenOffError, planError } from './plan-error';

const busy: ProviderFailure = { kind: 'busy', reason: 'busy', retryAfterSeconds: 3 };

describe('planError', () => {
  it.each<[ProviderFailure[], string, number]>([
    [[], 'no_capacity', 5],
    [[busy], 'no_capacity', 3],
    [[unavailable('connect_failed')], 'no_capacity', 5],
    [[unavailable('status_429', 12), unavailable('status_5xx', 20)], 'no_capacity', 12],
    [[unavailable('breaker_open', 20), unavailable('connect_failed')], 'no_capacity', 5],
    [[unavailable('status_429', 900)], 'no_capacity', 30],
    [[unavailable('status_429', 0)], 'no_capacity', 1],
    [[unavailable('connect_failed'), busy, unavailable('breaker_open', 2)], 'no_capacity', 2],
    [[invalid('not_json')], 'provider_output_invalid', 1],
    [[invalid('tool_call'), invalid('shape')], 'provider_output_invalid', 1],
    // None of the others was tried.
    [[invalid('tool_call'), unavailable('breaker_open', 20), busy], 'provider_output_invalid', 1],
    [[unavailable('first_token_timeout'), invalid('tool_call')], 'no_capacity', 5],
    [[invalid('shape'), unavailable('connection_lost'), unavailable('breaker_open', 3)], 'no_capacity', 3],
    [[invalid('tool_call'), unavailable('status_429', 7)], 'no_capacity', 5],
    [[unavailable('status_5xx'), invalid('tool_call')], 'no_capacity', 5],
    [[unavailable('request_refused'), unavailable('status_429', 7)], 'no_capacity', 5],
    [[unavailable('first_token_timeout'), unavailable('request_refused')], 'no_capacity', 5],
    [[busy, unavailable('request_refused')], 'no_capacity', 3],
    [[unavailable('breaker_open', 20), unavailable('request_refused')], 'no_capacity', 5],
    [[invalid('shape'), unavailable('request_refused')], 'no_capacity', 5],
  ])('%j is %s, again in %d s', (failures, code, retryAfterSeconds) => {
    expect(planError(failures).payload).toMatchObject({ code, retryAfterSeconds });
  });

  it.each([
    'connection_lost',
    'redirect',
    'status_4xx',
    'status_other',
    'first_token_timeout',
    'chunk_timeout',
    'total_timeout',
    'error_event',
    'crowded_out',
  ] as const)('is no_capacity where one gave no valid reply and another was tried in vain: %s', (reason) => {
    expect(planError([invalid('tool_call'), unavailable(reason)]).payload.code).toBe('no_capacity');
  });

  it.each([
    'offer_gone',
    'endpoint_invalid',
    'credential_unreadable',
    'address_refused',
    'connect_failed',
    'tls_failed',
  ] as const)('is provider_output_invalid where the other ones were sent nothing: %s', (reason) => {
    expect(planError([unavailable(reason), invalid('tool_call')]).payload.code).toBe(
      'provider_output_invalid',
    );
  });

  it('says that providers are busy where all of them are, and only then', () => {
    const saysSo = (...failures: ProviderFailure[]) => planError(failures).payload.message.includes('busy');
    expect([saysSo(busy, busy), saysSo(busy, unavailable('connect_failed')), saysSo()]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('calls replies invalid unless all of them were only too large', () => {
    const saysSo = (...failures: ProviderFailure[]) => {
      const { code, message } = planError(failures).payload;
      return [code, message.includes('invalid'), message.includes('larger')];
    };
    const tooLarge = invalid('undeliverable');
    expect(saysSo(tooLarge, busy)).toEqual(['provider_output_invalid', false, true]);
    expect(saysSo(tooLarge, invalid('shape'))).toEqual(['provider_output_invalid', true, false]);
  });

  it.each([1, 2])('is invalid_request, never again, when all of %d refused the request itself', (count) => {
    const failures = Array.from({ length: count }, () => unavailable('request_refused', 7));
    const { status, payload } = planError(failures);
    expect([status, payload.code, payload.retryAfterSeconds]).toEqual([400, 'invalid_request', undefined]);
    expect(payload.message).toContain('Nothing was charged');
    expect(payload.message).toContain('schema');
  });
});

describe('brokenOffError', () => {
  it.each([
    [unavailable('crowded_out'), 'no_capacity'],
    [invalid('undeliverable'), 'no_capacity'],
    [unavailable('connection_lost'), 'provider_output_invalid'],
    [unavailable('chunk_timeout'), 'provider_output_invalid'],
    [invalid('no_finish_reason'), 'provider_output_invalid'],
  ])('after %j is %s, again in a second', (failure, code) => {
    expect(brokenOffError(failure).payload).toMatchObject({ code, retryAfterSeconds: 1 });
  });
});
