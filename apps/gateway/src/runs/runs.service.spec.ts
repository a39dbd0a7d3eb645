import { encodeFrame } from '@svc/contracts';
import type { FrameType } from '@svc/contracts';
import type { InboxHandler, OpenInbox } from '@svc/messaging';
import type { MsgHdrs } from 'nats';
import { RequestRecord } from '../http/request-record';
import { RunsService } from './runs.service';

const SWEEP_MS = 250;
const ATTACH_WITHIN_MS = 1_000;

/** The runs of a gateway, and what is heard of one of them. */
function setUp() {
  jest.useFakeTimers();
  const clock = { ms: 0, nowMs: () => clock.ms };
  const said: string[] = [];
  const cancelled: string[] = [];
  const closed: string[] = [];
  const record = new RequestRecord(0);
  let hear: InboxHandler = () => undefined;
  let loseInstance: (instanceId: string) => void = () => undefined;
  let loseNats: () => void = () => undefined;
  const open = (handler: InboxHandler) => {
    hear = handler;
    const close = () => {
      closed.push('inbox');
      hear = () => undefined;
    };
    return { subject: 'inbox', close };
  };
  const dispatch = {
    onInstanceLost: (listener: typeof loseInstance) => void (loseInstance = listener),
    heard: () => undefined,
    cancel: (requestId: string) => void cancelled.push(requestId),
    delivered: () => undefined,
    start: (_startJson: string, handler: InboxHandler) => open(handler),
    attach: (_holdId: string, handler: InboxHandler) => open(handler),
    detach: () => void said.push('detach'),
    credit: (instanceId: string, holdId: string, bytes: number) =>
      void said.push(`${bytes} more of ${holdId} of ${instanceId}`),
    creditInbox: (instanceId: string, _inbox: OpenInbox, bytes: number) =>
      void said.push(`${bytes} more of ${instanceId}`),
  };
  const holds = { letGo: (_hold: object, { reason }: { reason: string }) => void said.push(reason) };
  const nats = { onLost: (listener: () => void) => void (loseNats = listener) };
  const runs = new RunsService(dispatch as never, holds as never, nats as never, clock, {} as never);
  runs.onModuleInit();
  const hold = { holdId: 'req_1', wallet: '0x' };
  const sink = (credit: (bytes: number) => void) => ({
    data: (payload: Buffer) => credit(payload.length),
    end: () => void said.push('end'),
    fail: ({ code }: { code: string }) => void said.push(code),
    tick: () => undefined,
  });
  const start = () => runs.start({ hold, record, startJson: '{}', idempotent: false, sink });
  const follow = () => runs.follow({ hold, record, sink });
  const frame = (type: FrameType, sequence: number, payload = '') =>
    hear({ data: encodeFrame({ type, sequence, instanceId: 'disp0001', payload }) });
  const nobodyListens = () => hear({ data: new Uint8Array(), headers: { code: 503 } as MsgHdrs });
  const sweep = (ms: number) => {
    clock.ms += ms;
    jest.advanceTimersByTime(SWEEP_MS);
  };
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += SWEEP_MS) sweep(SWEEP_MS);
  };
  return {
    runs,
    record,
    said,
    cancelled,
    closed,
    start,
    follow,
    frame,
    nobodyListens,
    loseInstance: (instanceId: string) => loseInstance(instanceId),
    loseNats: () => loseNats(),
    pass,
    standStill: sweep,
  };
}

describe('a run that waits for dispatch', () => {
  let parts: ReturnType<typeof setUp>;
  beforeEach(() => {
    parts = setUp();
    parts.start();
  });
  afterEach(() => {
    parts.runs.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('is given up when nobody has taken it up in time', () => {
    parts.pass(2_750);
    expect(parts.said).toEqual([]);
    parts.pass(SWEEP_MS);
    expect(parts.said).toEqual(['not_accepted', 'no_capacity']);
  });

  it('is not given up for what came while this process stood still', () => {
    parts.standStill(10_000);
    expect(parts.said).toEqual([]);
    parts.frame('accepted', 0);
    parts.pass(5_000);
    parts.frame('end', 1);
    expect(parts.said).toEqual(['end']);
  });

  it('is given up by the next look when nothing came meanwhile', () => {
    parts.standStill(10_000);
    parts.pass(SWEEP_MS);
    expect(parts.said).toEqual(['not_accepted', 'no_capacity']);
  });

  it('is given up by a process that stands still again and again', () => {
    parts.standStill(3_000);
    parts.standStill(3_000);
    expect(parts.said).toEqual(['not_accepted', 'no_capacity']);
  });
});

describe('a run that is worked on', () => {
  let parts: ReturnType<typeof setUp>;
  const leave = () => {
    parts.record.closed = true;
    parts.record.onClosed?.();
  };
  beforeEach(() => {
    parts = setUp();
    parts.start();
    parts.frame('accepted', 0);
  });
  afterEach(() => {
    parts.runs.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('may send as many bytes more as have left for its client', () => {
    parts.frame('data', 1, 'a frame');
    expect(parts.said).toEqual(['7 more of req_1 of disp0001']);
  });

  it('is lost with its own dispatch instance, and with no other', () => {
    parts.loseInstance('disp0002');
    expect(parts.said).toEqual([]);
    parts.loseInstance('disp0001');
    expect(parts.said).toEqual(['dispatch_lost', 'no_capacity']);
  });

  it('is lost with the connection to NATS', () => {
    parts.loseNats();
    expect(parts.said).toEqual(['nats_lost', 'no_capacity']);
  });

  it('keeps no inbox once it is over', () => {
    expect(parts.closed).toEqual([]);
    parts.frame('end', 1);
    expect(parts.closed).toEqual(['inbox']);
  });

  it('is counted until its reply is with the client', () => {
    parts.record.stream = true;
    parts.frame('end', 1);
    expect(parts.runs.count()).toEqual({ plain: 0, stream: 1 });
    leave();
    expect([parts.runs.count(), parts.cancelled]).toEqual([{ plain: 0, stream: 0 }, []]);
  });

  it('is cancelled when its client leaves, and counted until dispatch has ended it', () => {
    leave();
    expect([parts.cancelled, parts.runs.count()]).toEqual([['req_1'], { plain: 1, stream: 0 }]);
    parts.frame('end', 1);
    expect([parts.said, parts.runs.count()]).toEqual([[], { plain: 0, stream: 0 }]);
  });

  it('is one of those on their way, as are stored replies until they are with their clients', () => {
    const [replayed, gone] = [new RequestRecord(0), new RequestRecord(0)];
    gone.closed = true;
    for (const record of [replayed, gone]) parts.runs.noteReplay(record);
    expect(parts.runs.count()).toEqual({ plain: 2, stream: 0 });
    replayed.onClosed?.();
    expect(parts.runs.count()).toEqual({ plain: 1, stream: 0 });
  });

  it('is looked at as often as what others have', () => {
    const looks: number[] = [];
    parts.runs.onSweep((nowMs) => looks.push(nowMs));
    parts.pass(2 * SWEEP_MS);
    expect(looks).toEqual([SWEEP_MS, 2 * SWEEP_MS]);
  });
});

describe('a run that another request started', () => {
  let parts: ReturnType<typeof setUp>;
  beforeEach(() => (parts = setUp()));
  afterEach(() => {
    parts.runs.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('is followed from its first frame on, for as long as it takes', async () => {
    const followed = parts.follow();
    jest.advanceTimersByTime(ATTACH_WITHIN_MS - 1);
    parts.frame('accepted', 0);
    expect(await followed).toBe(true);
    jest.advanceTimersByTime(10 * ATTACH_WITHIN_MS);
    parts.frame('data', 1, 'a frame');
    parts.frame('end', 2);
    expect(parts.said).toEqual(['7 more of disp0001', 'end']);
  });

  it('is not followed when nobody answers in time, nor when somebody does after that', async () => {
    const followed = parts.follow();
    jest.advanceTimersByTime(ATTACH_WITHIN_MS);
    expect(await followed).toBe(false);
    parts.frame('end', 0);
    expect([parts.said, parts.runs.count()]).toEqual([['detach'], { plain: 0, stream: 0 }]);
  });

  it('is waited for though no dispatch listens: one may be about to come back', async () => {
    const followed = parts.follow();
    parts.nobodyListens();
    parts.frame('end', 0);
    expect([await followed, parts.said]).toEqual([true, ['end']]);
  });

  it('is followed for nobody who has left, before or meanwhile', async () => {
    const timers = jest.getTimerCount();
    const followed = parts.follow();
    parts.record.closed = true;
    parts.record.onClosed?.();
    expect(await followed).toBe(false);
    expect(await parts.follow()).toBe(false);
    expect([parts.said, jest.getTimerCount()]).toEqual([['detach', 'detach'], timers]);
  });
});
