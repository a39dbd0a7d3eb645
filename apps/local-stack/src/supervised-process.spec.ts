import type { LocalServer, ProcessExit } from '@svc/local-servers';
import { SupervisedProcess } from './supervised-process';
import type { SupervisorEvents } from './supervised-process';

/** A process that is only told of: `end` makes it end by itself, `stop` as asked. */
class PretendServer implements LocalServer {
  readonly name = 'pretend';
  readonly url = '';
  readonly logStart = 0;
  readonly exited: Promise<ProcessExit>;
  end!: (exit: ProcessExit) => void;
  stops = 0;

  constructor(readonly pid: number) {
    this.exited = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  stop(): Promise<void> {
    this.stops += 1;
    this.end({ code: 0, signal: null });
    return Promise.resolve();
  }
}

const killed: ProcessExit = { code: null, signal: 'SIGKILL' };

describe('SupervisedProcess', () => {
  let told: string[];
  let launches: (() => Promise<LocalServer>)[];
  let supervised: SupervisedProcess;

  beforeEach(() => {
    jest.useFakeTimers();
    told = [];
    launches = [];
    const events: SupervisorEvents = {
      ended: (name, exit, backOffMs) => told.push(`${name} ended ${exit.signal ?? exit.code} ${backOffMs}`),
      restarted: (name, pid) => told.push(`${name} back ${pid}`),
      failed: (name, error, backOffMs) => told.push(`${name} failed ${error.message} ${backOffMs}`),
    };
    const launch = () => launches.shift()?.() ?? Promise.reject(new Error('no more launches'));
    supervised = new SupervisedProcess('billing', 'billing', launch, events);
  });

  afterEach(() => jest.useRealTimers());

  function willLaunch(pid: number): PretendServer {
    const server = new PretendServer(pid);
    launches.push(() => Promise.resolve(server));
    return server;
  }

  it('ends what came up while it was being stopped', async () => {
    const first = willLaunch(1);
    await supervised.start(new AbortController().signal);
    const late = new PretendServer(2);
    let comesUp: (server: LocalServer) => void = () => undefined;
    launches.push(() => new Promise((resolve) => (comesUp = resolve)));
    first.end(killed);
    await jest.advanceTimersByTimeAsync(250);
    const stopped = supervised.stop();
    comesUp(late);
    await stopped;
    expect([late.stops, supervised.pid]).toEqual([1, undefined]);
  });

  it('starts again what ends, and says so', async () => {
    const first = willLaunch(1);
    willLaunch(2);
    await supervised.start(new AbortController().signal);
    expect(supervised.pid).toBe(1);
    first.end(killed);
    await jest.advanceTimersByTimeAsync(0);
    expect(supervised.pid).toBeUndefined();
    await jest.advanceTimersByTimeAsync(250);
    expect(supervised.pid).toBe(2);
    expect(told).toEqual(['billing ended SIGKILL 250', 'billing back 2']);
  });

  it('waits longer each time it keeps ending, and less again once it has run', async () => {
    const servers = [1, 2, 3, 4].map(willLaunch);
    await supervised.start(new AbortController().signal);
    for (const server of servers.slice(0, 2)) {
      server.end(killed);
      await jest.advanceTimersByTimeAsync(500);
    }
    await jest.advanceTimersByTimeAsync(31_000);
    servers[2]?.end(killed);
    await jest.advanceTimersByTimeAsync(250);
    expect(told.filter((line) => line.includes('ended'))).toEqual([
      'billing ended SIGKILL 250',
      'billing ended SIGKILL 500',
      'billing ended SIGKILL 250',
    ]);
    expect(supervised.pid).toBe(4);
  });

  it('goes on trying when a restart fails', async () => {
    const first = willLaunch(1);
    launches.push(() => Promise.reject(new Error('port taken')));
    willLaunch(3);
    await supervised.start(new AbortController().signal);
    first.end(killed);
    await jest.advanceTimersByTimeAsync(250 + 500);
    expect(told).toEqual(['billing ended SIGKILL 250', 'billing failed port taken 500', 'billing back 3']);
  });

  it('throws what the first start throws and tries no more', async () => {
    launches.push(() => Promise.reject(new Error('bad configuration')));
    await expect(supervised.start(new AbortController().signal)).rejects.toThrow('bad configuration');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual([]);
  });

  it('stays down once it was stopped, also between two attempts', async () => {
    const first = willLaunch(1);
    const second = willLaunch(2);
    await supervised.start(new AbortController().signal);
    first.end(killed);
    await jest.advanceTimersByTimeAsync(100);
    await supervised.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(supervised.pid).toBeUndefined();
    expect(second.stops).toBe(0);
    expect(launches).toHaveLength(1);
  });
});
