import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RUN_CREDIT_BYTES, decodeFrame } from '@svc/contracts';
import type { FrameSubscriber, RunFrame } from '@svc/contracts';
import { Events } from 'nats';
import { FrameClock } from '../live-run/frame-clock';
import { Run } from '../live-run/run';
import type { SharedRun } from '../live-run/run';
import { SharedOutput } from '../live-run/shared-output';
import { runRequest } from '../testing/run-request.for-spec';
import type { GatewayWatch } from './gateway-watch.service';
import { RunAttachments } from './run-attachments.service';
import { RunRegistry } from './run-registry.service';

const MIB = 1024 * 1024;

describe('RunAttachments', () => {
  let registry: RunRegistry;
  let attachments: RunAttachments;
  let frames: Map<string, RunFrame[]>;
  let gatewayIsLost: (gatewayId: string) => void;
  let linkIsBack: () => Promise<void>;
  const heard = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    heard.mockReset();
    frames = new Map();
    registry = new RunRegistry();
    const statuses: (() => void)[] = [];
    const connection = {
      status: async function* () {
        for (;;) {
          await new Promise<void>((resolve) => statuses.push(resolve));
          yield { type: Events.Reconnect, data: '' };
        }
      },
    };
    linkIsBack = async () => {
      for (const tell of statuses.splice(0)) tell();
      await jest.advanceTimersByTimeAsync(0);
    };
    const gateways: Partial<GatewayWatch> = { onLost: (listener) => (gatewayIsLost = listener), heard };
    attachments = new RunAttachments({ connection } as never, gateways as GatewayWatch, registry);
    attachments.onApplicationBootstrap();
  });
  afterEach(() => {
    attachments.onApplicationShutdown();
    jest.useRealTimers();
  });

  const deliver = (subject: string, payload: Uint8Array | string) => {
    const frame = decodeFrame(payload as Uint8Array);
    if (frame) frames.set(subject, [...(frames.get(subject) ?? []), frame]);
  };
  const types = (name: string) => (frames.get(name) ?? []).map(({ type }) => type);
  const text = (name: string) => (frames.get(name) ?? []).map(({ payload }) => payload.toString()).join('');
  const who = (subscriberId: string, gatewayId = 'g'): FrameSubscriber => ({ gatewayId, subscriberId });
  const attach = (run: SharedRun, name: string, gatewayId?: string) =>
    attachments.attach(run.id, who(name, gatewayId), name);

  /** A run under way, which `name` has started. */
  function begin(name: string, run = newRun()): SharedRun {
    registry.add(run);
    attachments.open(run, who(name), name);
    return run;
  }

  function newRun(): SharedRun {
    const output = new SharedOutput(true, {
      publisher: { deliver } as never,
      instanceId: 'abcd1234',
      maxPayloadBytes: () => MIB,
      clock: new FrameClock(() => 1),
    });
    return new Run(runRequest(['a'], { idempotent: true }), 'g', output);
  }

  function succeed(run: SharedRun, reply = 'all of it'): void {
    run.output.seal(reply);
    run.output.end();
    registry.remove(run);
  }

  function expectToldToRepeat(name: string): void {
    expect(types(name).at(-1)).toBe('failure');
    expect(JSON.parse(frames.get(name)?.at(-1)?.payload.toString() ?? '')).toMatchObject({
      code: 'no_capacity',
      goesOn: true,
      message: expect.stringContaining('same Idempotency-Key') as string,
    });
  }

  it('whoever comes within 10 s of the end gets the whole reply, and then nobody, of whom nothing is kept', () => {
    const run = begin('first');
    succeed(run);
    jest.advanceTimersByTime(9_750);
    attach(run, 'late');
    expect([text('late'), types('late')]).toEqual(['all of it', ['end']]);
    jest.advanceTimersByTime(500);
    attach(run, 'too late');
    expect(types('too late')).toEqual([]);
    const addCredit = jest.spyOn(run.output, 'addCredit');
    for (const name of ['first', 'late']) attachments.addCredit(name, 1);
    expect(addCredit).not.toHaveBeenCalled();
  });

  it('a failed run is found by nobody: whoever asks for it gets the next one under that key', () => {
    const run = begin('first');
    run.output.fail('{"code":"no_capacity"}');
    registry.remove(run);
    attach(run, 'next');
    expect(types('next')).toEqual([]);
    const again = new Run(run.request, 'g', newRun().output);
    begin('starter', again);
    succeed(again, 'at last');
    // The first one is forgotten, the second is not.
    jest.advanceTimersByTime(9_500);
    attach(run, 'late');
    expect([text('next'), text('starter'), text('late')]).toEqual(['at last', 'at last', 'at last']);
    expect(types('first')).toEqual(['failure']);
  });

  it('whoever asks before the run begins joins it, and both hear that it is under way', () => {
    const run = newRun();
    attach(run, 'early');
    attach(run, 'left');
    attachments.detach('left');
    begin('starter', run);
    expect([types('starter'), types('early'), types('left')]).toEqual([['accepted'], ['accepted'], []]);
    const lone = newRun();
    attach(lone, 'impatient');
    jest.advanceTimersByTime(1_250);
    begin('alone', lone);
    // Its gateway waits no more.
    expect([types('alone'), types('impatient')]).toEqual([[], []]);
  });

  it('whoever joins hears at once that the run is under way, and its gateway has shown life', () => {
    const run = begin('starter');
    attach(run, 'joined', 'other');
    expect(types('joined')).toEqual(['accepted']);
    expect(heard).toHaveBeenCalledWith('other');
    // What is under way waits for no delivery yet.
    expect(registry.undeliveredCount).toBe(0);
  });

  it('a message that starts a run a second time changes nothing for those who follow it', () => {
    const run = begin('first');
    attachments.open(new Run(run.request, 'g', newRun().output), who('second'), 'second');
    succeed(run);
    attach(run, 'late');
    expect([text('first'), text('late'), types('second')]).toEqual(['all of it', 'all of it', []]);
  });

  it('whoever has left hears no more', () => {
    const run = begin('stays');
    attach(run, 'leaves');
    attachments.detach('leaves');
    succeed(run);
    attachments.addCredit('leaves', 1);
    expect([types('stays'), types('leaves')]).toEqual([['accepted', 'end'], ['accepted']]);
  });

  describe('a client that is slower than the run', () => {
    const reply = 'x'.repeat(4 * RUN_CREDIT_BYTES);

    it('gets the rest as it makes room, however late, and this process does not end before', async () => {
      const run = begin('slow');
      succeed(run, reply);
      const idle = jest.fn();
      void registry.whenIdle().then(idle);
      for (let passed = 0; passed < 120; passed++) {
        await jest.advanceTimersByTimeAsync(1_000);
        attachments.addCredit('slow', 1);
      }
      expect(idle).not.toHaveBeenCalled();
      for (let room = 0; room < 4; room++) attachments.addCredit('slow', RUN_CREDIT_BYTES);
      expect(types('slow').at(-1)).toBe('end');
      expect(text('slow') === reply).toBe(true);
      await jest.advanceTimersByTimeAsync(250);
      expect(idle).toHaveBeenCalled();
    });

    it('is waited for no longer than it shows life, also when it came after the end, and told to come again', async () => {
      const run = begin('quick');
      succeed(run, 'short');
      expect(registry.undeliveredCount).toBe(0);
      const long = begin('quick too');
      attachments.addCredit('quick too', reply.length);
      succeed(long, reply);
      expect([types('quick too').at(-1), registry.undeliveredCount]).toEqual(['end', 0]);
      attach(long, 'slow');
      expect(registry.undeliveredCount).toBe(1);
      await jest.advanceTimersByTimeAsync(299_750);
      expect(registry.undeliveredCount).toBe(1);
      await jest.advanceTimersByTimeAsync(500);
      expect(registry.undeliveredCount).toBe(0);
      expectToldToRepeat('slow');
    });

    it('is waited for again where it takes something before its run is forgotten', async () => {
      const run = begin('idle');
      run.output.write(reply);
      run.output.flushSoon();
      await jest.advanceTimersByTimeAsync(300_000);
      succeed(run);
      expect(registry.undeliveredCount).toBe(0);
      await jest.advanceTimersByTimeAsync(9_000);
      attachments.addCredit('idle', RUN_CREDIT_BYTES);
      expect(registry.undeliveredCount).toBe(1);
      await jest.advanceTimersByTimeAsync(60_000);
      attachments.addCredit('idle', reply.length);
      expect(types('idle').at(-1)).toBe('end');
    });

    it('is told to come again when it takes nothing for long before the end and after it', async () => {
      const run = begin('idle');
      run.output.write(reply);
      run.output.flushSoon();
      await jest.advanceTimersByTimeAsync(300_000);
      succeed(run);
      await jest.advanceTimersByTimeAsync(10_250);
      expectToldToRepeat('idle');
    });
  });

  it('keeps nothing of the request of a run that is over, whether it failed or somebody still reads', async () => {
    const kept = [
      (run: SharedRun) => succeed(run, 'x'.repeat(4 * RUN_CREDIT_BYTES)),
      (run: SharedRun) => {
        run.output.fail('{"code":"no_capacity"}');
        registry.remove(run);
      },
    ].map((end, at) => {
      const run = begin(`reader ${at}`);
      end(run);
      return new WeakRef(run.request);
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(registry.undeliveredCount).toBe(1);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(kept.map((request) => request.deref())).toEqual([undefined, undefined]);
  });

  it('of replies that take more than 128 MiB together the oldest go at once', () => {
    const large = (name: string) => {
      const run = begin(name);
      jest.spyOn(run.output, 'length', 'get').mockReturnValue(50 * MIB);
      succeed(run);
      return run;
    };
    const [oldest, middle] = [large('a'), large('b')];
    jest.advanceTimersByTime(250);
    attach(oldest, 'while there is room');
    const newest = large('c');
    jest.advanceTimersByTime(250);
    for (const run of [oldest, middle, newest]) attach(run, `late to ${run.id}`);
    const ends = [oldest, middle, newest].map(({ id }) => types(`late to ${id}`));
    expect([types('while there is room'), ...ends]).toEqual([['end'], [], ['end'], ['end']]);
  });

  it('of those, the oldest that clients are slow to take go too, who are told to ask again, and what fits stays', async () => {
    const reply = 'x'.repeat(2 * RUN_CREDIT_BYTES);
    const large = (name: string) => {
      const run = begin(name);
      jest.spyOn(run.output, 'length', 'get').mockReturnValue(50 * MIB);
      succeed(run, reply);
      return run;
    };
    for (const name of ['oldest', 'middle', 'newest']) large(name);
    await jest.advanceTimersByTimeAsync(250);
    expectToldToRepeat('oldest');
    expect(registry.undeliveredCount).toBe(2);
    // What is not too much waits for as long as somebody takes it.
    for (let passed = 0; passed < 30; passed++) {
      await jest.advanceTimersByTimeAsync(1_000);
      for (const name of ['middle', 'newest']) attachments.addCredit(name, 1);
    }
    for (const name of ['oldest', 'middle', 'newest']) attachments.addCredit(name, reply.length);
    expect(types('oldest').filter((type) => type === 'end')).toEqual([]);
    for (const name of ['middle', 'newest']) expect(text(name) === reply).toBe(true);
  });

  it('clients of a gateway that fell silent are told, should it live, that the request goes on', () => {
    const run = begin('starter');
    attach(run, 'elsewhere', 'lost');
    gatewayIsLost('lost');
    expect(types('elsewhere')).toEqual(['accepted', 'failure']);
    expect(JSON.parse(text('elsewhere'))).toMatchObject({ code: 'no_capacity', goesOn: true });
    succeed(run);
    expect(text('starter')).toBe('all of it');
  });

  it('once the link to NATS is back, whoever may have missed an end is told to come again, of a failed run too', async () => {
    const [live, ended, failed] = [begin('under way'), begin('ended'), begin('failed')];
    succeed(ended);
    failed.output.fail('{"code":"no_capacity"}');
    registry.remove(failed);
    await linkIsBack();
    expect([types('under way'), types('ended'), types('failed')]).toEqual([
      ['failure'],
      ['end', 'failure'],
      ['failure', 'failure'],
    ]);
    for (const name of ['under way', 'ended', 'failed'])
      expect(frames.get(name)?.at(-1)?.payload.toString()).toContain('same Idempotency-Key');
    succeed(live);
    attach(live, 'again');
    expect(text('again')).toBe('all of it');
  });
});
