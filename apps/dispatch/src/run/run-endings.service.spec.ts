import { setImmediate as nextTurn } from 'node:timers/promises';
import { RUN_CREDIT_BYTES } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import { createLogger } from '@svc/observability';
import type { DispatchConfig } from '../dispatch.config';
import type { HoldService } from '../hold/hold.service';
import type { StopReason } from '../live-run/run';
import { RunOutput } from '../live-run/run-output';
import type { FrameSender } from '../live-run/run-output';
import type { RunMeter } from '../metering/run-meter.service';
import { unavailable } from '../provider-client/provider-failure';
import { runRequest } from '../testing/run-request.for-spec';
import { METERED, expectCrashed, runUnderWay, untouched } from '../testing/run-under-way.for-spec';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';

describe('RunEndings', () => {
  let registry: RunRegistry;
  let endings: RunEndings;
  const post = jest.fn<Promise<bigint>, Parameters<HoldService['post']>>();
  const holdWas = { void: jest.fn(), abandon: jest.fn() };
  const meterPart = jest.fn((..._of: Parameters<RunMeter['meterPart']>) => METERED);

  beforeEach(() => {
    for (const told of [post, holdWas.void, holdWas.abandon, meterPart]) told.mockClear();
    post.mockImplementation((_hold, _usage, cost) => Promise.resolve(cost));
    registry = new RunRegistry();
    const holds = { post, ...holdWas } as unknown as HoldService;
    const meter: Partial<RunMeter> = { meterReply: () => METERED, meterPart };
    const config: Pick<DispatchConfig, 'environment'> = { environment: ENVIRONMENTS.testnet };
    const logger = createLogger('dispatch', 'silent');
    endings = new RunEndings(holds, registry, meter as RunMeter, config as DispatchConfig, logger);
  });

  /** @param seen what its client has got by now */
  function begin({ stream = true, seen = '' } = {}) {
    const outputOf = (sender: FrameSender) => new RunOutput('_INBOX.g.1', { streamed: stream }, sender);
    const begun = runUnderWay(runRequest(['a'], { stream }), outputOf, seen);
    registry.add(begun.run);
    return begun;
  }

  describe('of a client that hung up', () => {
    it('what it had seen is charged, as far as it was passed on, with the prompt', async () => {
      const { run, stopped, types } = begin({ seen: 'half' });
      run.stop('cancelled');
      expect(await endings.stopped(run, stopped)).toBe('cancelled');
      expect(meterPart).toHaveBeenCalledWith(run.request, stopped.planned, 16);
      const usage = { finishReason: 'cancelled', completionTokens: 4, attempts: 1 };
      expect(post.mock.calls).toEqual([[run.request.hold, expect.objectContaining(usage), 12n]]);
      untouched(holdWas.void, holdWas.abandon);
      expect(types()).toEqual(['data', 'failure']);
    });

    it.each([
      ['had seen nothing', {}, {}],
      [
        'had seen what no provider finished, and nobody was at work any more',
        { seen: 'half' },
        { planned: undefined },
      ],
    ])('nothing is charged when it %s, and nobody is told why', async (_, given, outcome) => {
      const { run, stopped, types } = begin(given);
      run.stop('cancelled');
      expect(await endings.stopped(run, { ...stopped, ...outcome })).toBe('cancelled');
      expect(holdWas.void.mock.calls).toEqual([[run.request.hold, 'cancelled', expect.anything()]]);
      const [, , failure] = (holdWas.void.mock.calls as unknown[][])[0] ?? [];
      expect(failure).toHaveProperty('totalMs');
      expect(failure).not.toHaveProperty('code');
      untouched(post, holdWas.abandon);
      expect(types().at(-1)).toBe('failure');
    });

    it('the whole reply is charged when it left while billing was at work, and nobody is waited for', async () => {
      const { run, served, types } = begin({ seen: 'all of it' });
      post.mockImplementation((_hold, _usage, cost) => {
        run.stop('cancelled');
        return Promise.resolve(cost);
      });
      expect(await endings.succeed(run, served)).toBe('cancelled');
      untouched(holdWas.void, holdWas.abandon);
      expect([types(), registry.undeliveredCount]).toEqual([['data', 'end'], 0]);
    });

    it('nothing is charged when a reply of which it saw nothing is ready only then', async () => {
      const { run, served, types } = begin({ stream: false });
      run.stop('cancelled');
      expect(await endings.succeed(run, served)).toBe('cancelled');
      expect(holdWas.void).toHaveBeenCalledTimes(1);
      untouched(post, holdWas.abandon);
      expect(types()).toEqual(['failure']);
    });

    it('the charge is taken back when it left while billing was at work, and had seen nothing', async () => {
      const { run, served, types } = begin({ stream: false });
      post.mockImplementation((_hold, _usage, cost) => {
        run.stop('cancelled');
        return Promise.resolve(cost);
      });
      expect(await endings.succeed(run, served)).toBe('cancelled');
      expect(holdWas.abandon.mock.calls).toEqual([[run.request.hold, 'cancelled', expect.anything()]]);
      const [, , failure] = (holdWas.abandon.mock.calls as unknown[][])[0] ?? [];
      expect(failure).not.toHaveProperty('code');
      expect([types(), registry.undeliveredCount]).toEqual([['failure'], 0]);
    });

    it('after the end, the charge is taken back unless it had seen something before', async () => {
      const [seen, unseen] = [begin({ seen: 'half' }), begin({ stream: false })];
      for (const { run, served } of [seen, unseen]) {
        await endings.succeed(run, served);
        registry.remove(run);
      }
      for (const { run } of [seen, unseen]) endings.cancelDelivery(run);
      expect(holdWas.abandon.mock.calls).toEqual([[unseen.run.request.hold, 'cancelled', expect.anything()]]);
      expect(registry.undeliveredCount).toBe(0);
    });
  });

  it.each<StopReason>(['gateway_lost', 'disconnected'])(
    'nobody pays for what nobody can be told of: %s',
    async (reason) => {
      const [underWay, ready, charged] = [
        begin({ seen: 'half' }),
        begin({ seen: 'all' }),
        begin({ seen: 'all' }),
      ];
      for (const { run } of [underWay, ready]) run.stop(reason);
      expect(await endings.stopped(underWay.run, underWay.stopped)).toBe('aborted');
      expect(await endings.succeed(ready.run, ready.served)).toBe('aborted');
      untouched(post);
      post.mockImplementation((_hold, _usage, cost) => {
        charged.run.stop(reason);
        return Promise.resolve(cost);
      });
      expect(await endings.succeed(charged.run, charged.served)).toBe('aborted');
      const failure = expect.objectContaining({ code: 'no_capacity', attempts: 1 }) as unknown;
      const taken = [underWay, ready, charged].map(({ run }) => [run.request.hold, reason, failure]);
      expect(holdWas.abandon.mock.calls).toEqual(taken);
      untouched(holdWas.void);
      for (const { types } of [underWay, ready, charged]) expect(types()).toEqual(['data', 'failure']);
      expect(registry.undeliveredCount).toBe(0);
    },
  );

  describe('of a client that read so slowly that the provider hung up', () => {
    it.each(['slow_reader', 'crowded_out'] as const)(
      'what it had seen is charged, and it is told how much: %s',
      async (reason) => {
        const { run, stopped, types, last } = begin({ seen: 'half' });
        run.stop(reason);
        expect(await endings.stopped(run, stopped)).toBe('cancelled');
        expect(meterPart).toHaveBeenCalledWith(run.request, stopped.planned, 16);
        const usage = expect.objectContaining({ finishReason: 'cancelled' }) as unknown;
        expect(post.mock.calls).toEqual([[run.request.hold, usage, 12n]]);
        untouched(holdWas.void, holdWas.abandon);
        expect(types()).toEqual(['data', 'failure']);
        const message = expect.stringContaining('0.000012 USDC') as unknown;
        expect(JSON.parse(last())).toMatchObject({ code: 'no_capacity', costUsdc: '0.000012', message });
        expect(last()).not.toContain('Nothing was charged');
      },
    );

    it('it gets what it pays for, also what it had made no room for', async () => {
      const { run, stopped, frames } = begin({ seen: 'x'.repeat(RUN_CREDIT_BYTES) });
      run.output.write('data: the last read\n\n');
      run.output.flushSoon();
      run.stop('slow_reader');
      await endings.stopped(run, stopped);
      const texts = frames.map(({ type, payload }) => [type, payload.includes('the last read')]);
      expect(texts.slice(-2)).toEqual([
        ['data', true],
        ['failure', false],
      ]);
    });

    it('it is told that nothing was charged where the charge came to nothing', async () => {
      const { run, stopped, last } = begin({ seen: 'half' });
      post.mockResolvedValue(0n);
      run.stop('slow_reader');
      await endings.stopped(run, stopped);
      expect(last()).toContain('Nothing was charged');
    });

    it.each([
      ['it had seen nothing', {}, {}],
      ['nobody was at work any more', { seen: 'half' }, { planned: undefined }],
    ])('nothing is charged where %s', async (_, given, outcome) => {
      const { run, stopped, last } = begin(given);
      run.stop('slow_reader');
      expect(await endings.stopped(run, { ...stopped, ...outcome })).toBe('aborted');
      expect(holdWas.void).toHaveBeenCalledTimes(1);
      untouched(post, holdWas.abandon);
      expect(last()).toContain('Nothing was charged');
    });
  });

  it.each<StopReason>(['shutdown', 'stalled', 'overlong'])(
    'what we break off costs nothing, also when something was seen: %s',
    async (reason) => {
      const { run, stopped, types, last } = begin({ seen: 'half' });
      run.stop(reason);
      expect(await endings.stopped(run, stopped)).toBe('aborted');
      const failure = { code: 'no_capacity', attempts: 1, totalMs: expect.any(Number) as unknown };
      expect(holdWas.void.mock.calls).toEqual([[run.request.hold, reason, expect.objectContaining(failure)]]);
      untouched(post, holdWas.abandon);
      expect(types()).toEqual(['data', 'failure']);
      expect(JSON.parse(last())).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
    },
  );

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

  it('a reply that is ready when we would break it off is charged and told', async () => {
    const { run, served, types } = begin({ seen: 'all of it' });
    run.stop('shutdown');
    expect(await endings.succeed(run, served)).toBe('completed');
    expect(post).toHaveBeenCalledTimes(1);
    expect([types(), registry.findUndelivered(run.id)]).toEqual([['data', 'end'], run]);
  });

  it.each([true, false])(
    'the client is told what it is charged, not what was metered (stream: %s)',
    async (stream) => {
      const { run, served, last } = begin({ stream, seen: 'word' });
      post.mockResolvedValue(7n);
      expect(await endings.succeed(run, served)).toBe('completed');
      expect(last()).toContain('"cost_usdc":"0.000007"');
      const exact = begin({ stream, seen: 'word' });
      post.mockResolvedValue(12n);
      await endings.succeed(exact.run, exact.served);
      expect(exact.last()).toContain('"cost_usdc":"0.000012"');
    },
  );

  it('a failure costs nothing, and says whether something had been seen', async () => {
    const [seen, unseen] = [begin({ seen: 'half' }), begin()];
    const lost = unavailable('connection_lost');
    const outcomes: string[] = [];
    for (const { run, served } of [seen, unseen]) {
      const { planned, trail } = served;
      trail.note(planned, lost);
      outcomes.push(await endings.fail(run, { kind: 'failed', failures: [lost], trail }));
    }
    expect(outcomes).toEqual(['provider_output_invalid', 'no_capacity']);
    untouched(post, holdWas.abandon);
    const told = (code: string) => [expect.anything(), code, expect.objectContaining({ code })] as unknown;
    expect(holdWas.void.mock.calls).toEqual(outcomes.map(told));
    expect([seen.types(), unseen.types()]).toEqual([['data', 'failure'], ['failure']]);
    expect([seen.last(), unseen.last()].map((text) => (JSON.parse(text) as { code: string }).code)).toEqual(
      outcomes,
    );
  });

  it.each<[string, (given: ReturnType<typeof begin>) => Promise<string>]>([
    ['failed', ({ run, served: { trail } }) => endings.fail(run, { kind: 'failed', failures: [], trail })],
    ['was cancelled', ({ run, stopped }) => (run.stop('cancelled'), endings.stopped(run, stopped))],
    ['was broken off', ({ run, stopped }) => (run.stop('shutdown'), endings.stopped(run, stopped))],
  ])('of a run that %s, nobody is told before its hold is free', async (_, end) => {
    const given = begin();
    let free = () => {};
    holdWas.void.mockReturnValueOnce(new Promise<void>((resolve) => (free = resolve)));
    const ending = end(given);
    await nextTurn();
    expect(given.types()).toEqual([]);
    free();
    await ending;
    expect(given.types()).toEqual(['failure']);
  });

  it('the part that a client has seen is charged before its run is over', async () => {
    const { run, stopped, types } = begin({ seen: 'half' });
    let charged = () => {};
    post.mockReturnValueOnce(new Promise((resolve) => (charged = () => resolve(12n))));
    run.stop('cancelled');
    const ending = endings.stopped(run, stopped);
    await nextTurn();
    expect(types()).toEqual(['data']);
    charged();
    await ending;
    expect(types()).toEqual(['data', 'failure']);
  });

  it('a fault of ours costs nothing, whether it was charged by then or not', () => {
    const begun = begin({ seen: 'half' });
    expectCrashed((error) => endings.crash(begun.run, error), begun, holdWas.abandon);
  });

  it('a success that nobody confirms is taken back, and told as a failure in its place, again should the link be lost', async () => {
    const { run, served, frames } = begin({ seen: 'all of it' });
    await endings.succeed(run, served);
    registry.remove(run);
    registry.takeUndelivered(() => true);
    endings.abandonDelivery(run, 'undelivered');
    const failure = expect.objectContaining({ code: 'no_capacity' }) as unknown;
    expect(holdWas.abandon.mock.calls).toEqual([[run.request.hold, 'undelivered', failure]]);
    endings.reconnected();
    expect(frames.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['data', 0],
      ['end', 1],
      ['failure', 1],
      ['failure', 1],
    ]);
  });
});
