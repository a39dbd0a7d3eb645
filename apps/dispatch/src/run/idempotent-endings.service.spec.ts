import { setImmediate as nextTurn } from 'node:timers/promises';
import { ENVIRONMENTS } from '@svc/environment';
import { createLogger } from '@svc/observability';
import type { DispatchConfig } from '../dispatch.config';
import type { HoldService } from '../hold/hold.service';
import type { SharedRun, StopReason } from '../live-run/run';
import type { FrameSender } from '../live-run/run-output';
import { SharedOutput } from '../live-run/shared-output';
import type { RunMeter } from '../metering/run-meter.service';
import { unavailable } from '../provider-client/provider-failure';
import { runRequest } from '../testing/run-request.for-spec';
import { METERED, expectCrashed, runUnderWay, untouched } from '../testing/run-under-way.for-spec';
import { IdempotentEndings } from './idempotent-endings.service';
import type { StoredReplies } from './stored-replies.service';

describe('IdempotentEndings', () => {
  let endings: IdempotentEndings;
  const post = jest.fn<Promise<boolean>, Parameters<HoldService['postAsStored']>>();
  const store = jest.fn<Promise<boolean>, Parameters<StoredReplies['store']>>();
  const holdWas = { void: jest.fn(), abandon: jest.fn() };

  beforeEach(() => {
    for (const told of [post, store, holdWas.void, holdWas.abandon]) told.mockReset();
    post.mockResolvedValue(true);
    store.mockResolvedValue(true);
    const holds = { postAsStored: post, ...holdWas } as unknown as HoldService;
    const meter: Partial<RunMeter> = { meterReply: () => METERED };
    const config: Pick<DispatchConfig, 'environment'> = { environment: ENVIRONMENTS.testnet };
    const logger = createLogger('dispatch', 'silent');
    endings = new IdempotentEndings(
      holds,
      { store } as unknown as StoredReplies,
      meter as RunMeter,
      config as DispatchConfig,
      logger,
    );
  });

  /** A run that one gateway follows. @param seen what its client has got by now */
  function begin({ stream = true, seen = '' } = {}) {
    const outputOf = (sender: FrameSender) => {
      const output = new SharedOutput(stream, sender);
      output.subscribe({ gatewayId: 'g', subscriberId: 's' }, '_INBOX.g.1');
      return output;
    };
    const begun = runUnderWay(runRequest(['a'], { stream, idempotent: true }), outputOf, seen);
    const text = () => Buffer.concat(begun.frames.map(({ payload }) => payload)).toString();
    return { ...begun, text };
  }

  /** The hold was freed once, and by nothing else. */
  const expectVoided = (run: SharedRun, reason: string, code: string | undefined) => {
    expect(holdWas.void.mock.calls).toEqual([[run.request.hold, reason, expect.anything()]]);
    const [, , failure] = (holdWas.void.mock.calls as [unknown, unknown, { code?: string }][])[0] ?? [];
    expect(failure).toMatchObject({ attempts: 1, totalMs: expect.any(Number) as unknown });
    expect(failure?.code).toBe(code);
    untouched(holdWas.abandon);
  };

  it.each([true, false])(
    'tells a success when it is stored and charged, and as it is stored (stream: %s)',
    async (stream) => {
      const { run, served, types, text } = begin({ stream, seen: 'word' });
      const told: string[][] = [];
      store.mockImplementation(() => Promise.resolve(told.push(types()) > 0));
      post.mockImplementation(() => Promise.resolve(told.push(types()) > 0));
      expect(await endings.succeed(run, served)).toBe('completed');
      const before = stream ? ['data'] : [];
      expect(told).toEqual([before, before]);
      expect(types()).toEqual([...before, 'end']);
      expect(store.mock.calls).toEqual([[run.request.hold, Buffer.from(text())]]);
      expect(text()).toContain('"cost_usdc":"0.000012"');
      expect(text()).toMatch(stream ? /^data: \{.*data: \[DONE\]\n\n$/s : /^\{"id":.*\}$/);
      const usage = { finishReason: 'stop', completionTokens: 4, attempts: 1 };
      expect(post.mock.calls).toEqual([[run.request.hold, expect.objectContaining(usage), 12n]]);
      untouched(holdWas.void, holdWas.abandon);
    },
  );

  it('charges nothing that was not stored', async () => {
    const { run, served, types, last } = begin({ seen: 'word' });
    store.mockResolvedValue(false);
    expect(await endings.succeed(run, served)).toBe('aborted');
    untouched(post);
    expectVoided(run, 'not_stored', 'no_capacity');
    expect(types()).toEqual(['data', 'failure']);
    expect(JSON.parse(last())).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
  });

  it('charges nothing whose hold was let go of while it was stored, and tells nobody why', async () => {
    const { run, served, types } = begin({ seen: 'word' });
    store.mockImplementation(() => {
      run.stop('cancelled');
      return Promise.resolve(true);
    });
    expect(await endings.succeed(run, served)).toBe('cancelled');
    untouched(post);
    expectVoided(run, 'cancelled', undefined);
    expect(types()).toEqual(['data', 'failure']);
  });

  it('tells no success that was not charged', async () => {
    const { run, served, types, text } = begin({ seen: 'word' });
    post.mockResolvedValue(false);
    expect(await endings.succeed(run, served)).toBe('aborted');
    expectVoided(run, 'not_charged', 'no_capacity');
    expect(types()).toEqual(['data', 'failure']);
    expect(text()).not.toContain('cost_usdc');
    expect([run.output.ended, run.output.isAwaited(Infinity)]).toEqual([false, false]);
  });

  it('whoever had to give way hears of it, and when to come again', async () => {
    const { run, stopped, last } = begin();
    run.stop('crowded_out');
    expect(await endings.stopped(run, stopped)).toBe('aborted');
    expect(JSON.parse(last())).toEqual({
      code: 'no_capacity',
      message: expect.stringContaining('yours take the most of it. Nothing was charged') as unknown,
      retryAfterSeconds: 5,
    });
  });

  it('a reply that is ready when we would break it off is stored, charged and told', async () => {
    const { run, served, types } = begin({ seen: 'word' });
    run.stop('shutdown');
    expect(await endings.succeed(run, served)).toBe('completed');
    expect(types()).toEqual(['data', 'end']);
  });

  it.each([true, false])(
    'keeps and charges nothing of a reply that is too large (stream: %s)',
    async (stream) => {
      const { run, served, types } = begin({ stream });
      const content = 'x'.repeat(9 * 1024 * 1024);
      const code = 'provider_output_invalid';
      expect(await endings.succeed(run, { ...served, reply: { ...served.reply, content } })).toBe(code);
      untouched(store, post);
      expectVoided(run, code, code);
      expect(types()).toEqual(['failure']);
    },
  );

  it('a failure costs nothing, and says whether something had been seen', async () => {
    const [seen, unseen] = [begin({ seen: 'half' }), begin()];
    const lost = unavailable('connection_lost');
    const outcomes: string[] = [];
    for (const { run, served } of [seen, unseen]) {
      served.trail.note(served.planned, lost);
      outcomes.push(await endings.fail(run, { failures: [lost], trail: served.trail }));
    }
    expect(outcomes).toEqual(['provider_output_invalid', 'no_capacity']);
    untouched(store, post, holdWas.abandon);
    const told = (code: string) => [expect.anything(), code, expect.objectContaining({ code })] as unknown;
    expect(holdWas.void.mock.calls).toEqual(outcomes.map(told));
    expect([seen.types(), unseen.types()]).toEqual([['data', 'failure'], ['failure']]);
    const codes = [seen.last(), unseen.last()].map((text) => (JSON.parse(text) as { code: string }).code);
    expect(codes).toEqual(outcomes);
  });

  it.each<[string, (given: ReturnType<typeof begin>) => Promise<string>]>([
    ['failed', ({ run, served: { trail } }) => endings.fail(run, { failures: [], trail })],
    ['was stopped', ({ run, stopped }) => endings.stopped(run, stopped)],
  ])('of a run that %s, nobody is told before its hold is free', async (_, end) => {
    const given = begin();
    let free = () => {};
    holdWas.void.mockReturnValue(new Promise<void>((resolve) => (free = resolve)));
    const ended = jest.fn();
    const ending = end(given).then(ended);
    await nextTurn();
    expect([given.types(), ended.mock.calls]).toEqual([[], []]);
    free();
    await ending;
    expect(given.types()).toEqual(['failure']);
  });

  it('takes no fault of ours for a reply that is too large', async () => {
    const { run, served } = begin();
    jest.spyOn(run.output, 'seal').mockImplementation(() => {
      throw new TypeError('a fault');
    });
    await expect(endings.succeed(run, served)).rejects.toThrow('a fault');
    untouched(store, post, holdWas.void);
  });

  it.each<[StopReason, string, string | undefined]>([
    ['shutdown', 'aborted', 'no_capacity'],
    ['overlong', 'aborted', 'no_capacity'],
    ['cancelled', 'cancelled', undefined],
  ])('what is stopped costs nothing, also when something was seen: %s', async (reason, outcome, code) => {
    const { run, stopped, types } = begin({ seen: 'half' });
    run.stop(reason);
    expect(await endings.stopped(run, stopped)).toBe(outcome);
    untouched(store, post);
    expectVoided(run, reason, code);
    expect(types()).toEqual(['data', 'failure']);
  });

  it('a fault of ours costs nothing, whether it was charged by then or not', () => {
    const begun = begin({ seen: 'half' });
    expectCrashed((error) => endings.crash(begun.run, error), begun, holdWas.abandon);
  });
});
