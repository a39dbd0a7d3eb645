import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { InstanceWatch } from '@svc/messaging';
import { DispatchLink } from './dispatch-link';

const { cancel, delivered } = DISPATCH_SUBJECTS;
/** After so long, what was delivered has been told. */
const TOLD_MS = 10;

/** What is said to dispatch over a connection that may be away. */
function setUp() {
  const said: string[][] = [];
  const nats = { connected: true, onBack: (listener: () => void) => void (back = listener) };
  let back: () => void = () => undefined;
  const publisher = { publish: (...message: string[]) => void said.push(message), flush: () => undefined };
  const link = new DispatchLink({} as never, { publisher } as never, nats as never);
  jest.spyOn(InstanceWatch.prototype, 'start').mockReturnValue();
  link.onModuleInit();
  const comeBack = () => {
    nats.connected = true;
    back();
  };
  return { link, nats, said, comeBack };
}

afterEach(() => jest.restoreAllMocks());

describe('outcomes that were handed to clients', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are confirmed each, once, to the instance that they are of', () => {
    const { link, said } = setUp();
    for (const [instance, id] of [
      ['disp0001', 'req_1'],
      ['disp0001', 'req_2'],
      ['disp0002', 'req_3'],
    ] as const)
      link.delivered(instance, id);
    jest.advanceTimersByTime(TOLD_MS);
    expect(said).toEqual([
      [delivered('disp0001'), 'req_1\nreq_2'],
      [delivered('disp0002'), 'req_3'],
    ]);
    link.delivered('disp0001', 'req_4');
    jest.advanceTimersByTime(TOLD_MS);
    expect(said.slice(2)).toEqual([[delivered('disp0001'), 'req_4']]);
  });

  it('are confirmed before the process ends: what nobody confirmed is taken back', () => {
    const { link, said } = setUp();
    link.delivered('disp0001', 'req_1');
    link.onApplicationShutdown();
    expect(said).toEqual([[delivered('disp0001'), 'req_1']]);
  });
});

describe('runs that are to stop', () => {
  it('are told at once, or once there is a connection again, and not anew at the next', () => {
    const { link, nats, said, comeBack } = setUp();
    link.cancel('req_1');
    nats.connected = false;
    link.cancel('req_2');
    expect(said).toEqual([[cancel('req_1'), '']]);
    comeBack();
    comeBack();
    expect(said.slice(1)).toEqual([[cancel('req_2'), '']]);
  });
});
