import { encodeFrame } from '@svc/contracts';
import type { FrameType } from '@svc/contracts';
import type { InboxHandler } from '@svc/messaging';
import { RequestRecord } from '../http/request-record';
import { RunsService } from './runs.service';

const SWEEP_MS = 250;

/** The runs of a gateway, one of which waits for dispatch. */
function setUp() {
  jest.useFakeTimers();
  const clock = { ms: 0, nowMs: () => clock.ms };
  const said: string[] = [];
  let hear: InboxHandler = () => undefined;
  const dispatch = {
    onInstanceLost: () => undefined,
    heard: () => undefined,
    cancel: () => undefined,
    delivered: () => undefined,
    start: (_startJson: string, handler: InboxHandler) => {
      hear = handler;
      return { subject: 'inbox', close: () => undefined };
    },
  };
  const holds = { letGo: (_hold: object, _idempotent: boolean, reason: string) => void said.push(reason) };
  const nats = { onLost: () => undefined };
  const runs = new RunsService(dispatch as never, holds as never, nats as never, clock, {} as never);
  runs.onModuleInit();
  runs.start({
    ...{ hold: { holdId: 'req_1', wallet: '0x' }, record: new RequestRecord(0) },
    ...{ startJson: '{}', idempotent: false },
    sink: () => ({
      data: () => undefined,
      end: () => void said.push('end'),
      fail: ({ code }) => void said.push(code),
      tick: () => undefined,
    }),
  });
  const frame = (type: FrameType, sequence: number) =>
    hear({ data: encodeFrame({ type, sequence, instanceId: 'disp0001', payload: '' }) });
  const sweep = (ms: number) => {
    clock.ms += ms;
    jest.advanceTimersByTime(SWEEP_MS);
  };
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += SWEEP_MS) sweep(SWEEP_MS);
  };
  return { runs, said, frame, pass, standStill: sweep };
}

describe('a run that waits for dispatch', () => {
  let parts: ReturnType<typeof setUp>;
  beforeEach(() => (parts = setUp()));
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
