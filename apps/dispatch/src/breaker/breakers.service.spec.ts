import { createLogger } from '@svc/observability';
import type { DispatchMetrics } from '../dispatch.metrics';
import { runRequest } from '../testing/run-request.for-spec';
import { invalid, unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { Breakers } from './breakers.service';

const OTHER_WALLET = `0x${'d'.repeat(40)}`;
const plain = runRequest(['a']);
const long = runRequest(['a'], { inputEstimate: 100_000 });
const othersLong = { ...long, hold: { ...long.hold, wallet: OTHER_WALLET } };

describe('Breakers', () => {
  const changes: string[] = [];
  const metrics = { breakerBecame: (offer: string, state: string) => changes.push(`${offer} ${state}`) };
  let breakers: Breakers;
  beforeEach(() => {
    changes.length = 0;
    breakers = new Breakers(metrics as unknown as DispatchMetrics, createLogger('dispatch', 'silent'));
  });

  function fail(offerId: string, failure: ProviderFailure, request = plain, reasoning = false): void {
    const passage = breakers.enter(offerId);
    if (passage) breakers.failed(offerId, passage, failure, { request, certified: { reasoning } });
  }

  it('one for each offer, and each change of state is counted', () => {
    for (let time = 0; time < 5; time++) fail('a', unavailable('connect_failed'));
    expect(changes).toEqual(['a open']);
    expect([breakers.admits('a'), breakers.admits('b')]).toEqual([false, true]);
    expect(breakers.enter('a')).toBeUndefined();
    expect([breakers.retryAfterSeconds('a'), breakers.retryAfterSeconds('b')]).toEqual([
      expect.any(Number),
      undefined,
    ]);
    for (let time = 0; time < 5; time++) fail('b', unavailable('connect_failed'));
    breakers.keepOnly((offerId) => offerId !== 'a');
    expect([breakers.admits('a'), breakers.admits('b')]).toEqual([true, false]);
  });

  it('a time that the provider names is kept to', () => {
    fail('a', unavailable('status_429', 7));
    expect(breakers.retryAfterSeconds('a')).toBeGreaterThanOrEqual(7);
    // A quarter more at most.
    expect(breakers.retryAfterSeconds('a')).toBeLessThanOrEqual(9);
    for (const retryAfter of [undefined, 600]) fail('b', unavailable('status_5xx', retryAfter), long);
    expect(breakers.retryAfterSeconds('b')).toBe(30);
  });

  it('what is served in between begins the count anew', () => {
    for (let time = 0; time < 4; time++) fail('a', unavailable('connect_failed'));
    const passage = breakers.enter('a');
    if (passage) breakers.succeeded('a', passage);
    for (let time = 0; time < 4; time++) fail('a', unavailable('connect_failed'));
    expect(breakers.admits('a')).toBe(true);
  });

  it('an offer that has failed, and may be asked all the same, names no time', () => {
    fail('a', unavailable('connect_failed'));
    expect([breakers.admits('a'), breakers.retryAfterSeconds('a')]).toEqual([true, undefined]);
  });

  describe('once its time is over', () => {
    beforeEach(() => {
      jest.useFakeTimers();
      fail('a', unavailable('status_429', 30));
      jest.advanceTimersByTime(30_000);
    });
    afterEach(() => jest.useRealTimers());

    const enter = () => {
      const passage = breakers.enter('a');
      if (!passage) throw new Error('not admitted');
      return passage;
    };

    it('one request at a time is let through; the next is told to come back in a second', () => {
      enter();
      expect([breakers.admits('a'), breakers.retryAfterSeconds('a')]).toEqual([false, 1]);
    });

    it('a request that says nothing of the offer does not keep the next one from it', () => {
      breakers.makeWay('a', enter());
      expect(breakers.admits('a')).toBe(true);
      breakers.failed('a', enter(), unavailable('request_refused'), {
        request: plain,
        certified: { reasoning: false },
      });
      expect(breakers.admits('a')).toBe(true);
    });

    it('one that is served opens it to all', () => {
      breakers.succeeded('a', enter());
      expect([enter(), enter()]).toHaveLength(2);
      expect(changes).toEqual(['a open', 'a half_open', 'a closed']);
    });
  });

  it.each<ProviderFailure>([
    unavailable('request_refused'),
    unavailable('status_4xx'),
    unavailable('crowded_out'),
    unavailable('offer_gone'),
    invalid('tool_call'),
    invalid('structured_output'),
    invalid('schema_too_expensive'),
    invalid('schema_unusable'),
  ])('what a client can bring about says nothing: %j', (failure) => {
    for (let time = 0; time < 40; time++) fail('a', failure);
    expect(breakers.admits('a')).toBe(true);
  });

  it.each<ProviderFailure>([
    unavailable('status_429'),
    unavailable('status_5xx'),
    unavailable('first_token_timeout'),
    unavailable('connection_lost'),
    invalid('not_json'),
    invalid('no_finish_reason'),
  ])('what no plain request brings about counts: %j', (failure) => {
    for (let time = 0; time < 5; time++) fail('a', failure);
    expect(breakers.admits('a')).toBe(false);
  });

  it('remembers some of those whom it has kept away, until somebody asks', () => {
    for (const request of [plain, othersLong]) fail('a', unavailable('status_5xx'), request);
    for (let time = 0; time < 30; time++)
      breakers.keptAway('a', time === 0 ? OTHER_WALLET : plain.hold.wallet);
    const keptAway = breakers.takeKeptAway('a');
    expect([keptAway.length, keptAway[0]]).toEqual([20, OTHER_WALLET]);
    expect([breakers.takeKeptAway('a'), breakers.takeKeptAway('b')]).toEqual([[], []]);
  });

  it('remembers some of those whom it has failed, however many they are', () => {
    const walletOf = (index: number) => `0x${String(index).padStart(40, '0')}`;
    for (let index = 0; index <= 64; index++) {
      const request = { ...plain, hold: { ...plain.hold, wallet: walletOf(index) } };
      breakers.failed('a', { era: 0 }, unavailable('status_5xx'), { request, certified: undefined });
    }
    for (const index of [63, 64]) breakers.keptAway('a', walletOf(index));
    expect(breakers.takeKeptAway('a')).toEqual([walletOf(63)]);
  });

  it('whom an offer has never failed is no witness against it, nor whom it has served since', () => {
    for (let time = 0; time < 5; time++) fail('a', unavailable('status_5xx'));
    for (const wallet of [OTHER_WALLET, plain.hold.wallet]) breakers.keptAway('a', wallet);
    expect(breakers.takeKeptAway('a')).toEqual([plain.hold.wallet]);
    breakers.succeeded('a', { era: 0 });
    breakers.keptAway('a', plain.hold.wallet);
    expect(breakers.takeKeptAway('a')).toEqual([]);
  });

  it('one client alone does not close an offer with long prompts, whatever is served in between', () => {
    for (let time = 0; time < 40; time++) {
      fail('a', unavailable('status_5xx'), long);
      const passage = breakers.enter('a');
      if (passage) breakers.succeeded('a', passage);
    }
    expect(breakers.admits('a')).toBe(true);
    expect(changes).toEqual([]);
  });

  it('one client alone does not close an offer to others with long prompts, several do', () => {
    for (let time = 0; time < 40; time++) fail('a', unavailable('status_5xx'), long);
    expect(breakers.admits('a')).toBe(true);
    for (let time = 0; time < 2; time++) {
      fail('a', unavailable('status_5xx'), othersLong);
      fail('a', unavailable('status_5xx'), long);
    }
    expect(breakers.admits('a')).toBe(false);
  });

  it('of one client what is no matter of its prompt counts every time, and its long prompts once', () => {
    const failures = [unavailable('connect_failed'), unavailable('status_5xx')] as const;
    for (const [plainFirst, offerId] of [
      [true, 'a'],
      [false, 'b'],
    ] as const) {
      if (!plainFirst) fail(offerId, failures[1], long);
      for (let time = 0; time < 4; time++) fail(offerId, failures[0]);
      if (plainFirst) fail(offerId, failures[1], long);
      expect(breakers.admits(offerId)).toBe(false);
    }
  });

  it('one client alone does not close an offer whose model thinks long about what it asks, several do', () => {
    const late = unavailable('first_token_timeout');
    const others = { ...plain, hold: { ...plain.hold, wallet: OTHER_WALLET } };
    for (let time = 0; time < 40; time++) fail('a', late, plain, true);
    expect(breakers.admits('a')).toBe(true);
    for (const request of [others, plain, others, plain]) fail('a', late, request, true);
    expect(breakers.admits('a')).toBe(false);
  });
});
