import { createLogger } from '@svc/observability';
import { endWhileStarting, stopOnSignals } from './stop-on-signals';

const logger = createLogger('test', 'silent');

describe('a process that is told to stop while it starts', () => {
  it('ends, until it has started', () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const standing = process.listenerCount('SIGTERM');
    const started = endWhileStarting(logger);
    process.emit('SIGTERM');
    expect(exit.mock.calls).toEqual([[0]]);
    started();
    expect(process.listenerCount('SIGTERM')).toBe(standing);
    exit.mockRestore();
  });
});

describe('a process that is told to stop', () => {
  const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
  const standing = SIGNALS.flatMap((signal) => process.listeners(signal));
  let exit: jest.SpyInstance;

  beforeEach(() => {
    jest.useFakeTimers();
    exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  });
  afterEach(() => {
    for (const signal of SIGNALS) {
      for (const each of process.listeners(signal)) if (!standing.includes(each)) process.off(signal, each);
    }
    exit.mockRestore();
    jest.useRealTimers();
  });

  async function terminate(): Promise<void> {
    process.emit('SIGTERM');
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  it.each([
    ['has stopped in order', () => Promise.resolve(), 0],
    ['could not', () => Promise.reject(new Error('something is left')), 1],
  ])('says by its exit code that it %s', async (_, stop, code) => {
    stopOnSignals(logger, 60_000, stop);
    await terminate();
    expect(exit.mock.calls).toEqual([[code]]);
  });

  it('says that it could not stop in time, and not what it did meanwhile', () => {
    const write = jest.fn<void, [line: string]>();
    stopOnSignals(createLogger('test', 'info', { write }), 60_000, () => new Promise(() => undefined));
    process.emit('SIGTERM');
    jest.advanceTimersByTime(60_000);
    expect(exit.mock.calls).toEqual([[1]]);
    expect(write.mock.lastCall?.[0]).toContain('"not stopped within the grace period"');
  });

  it('ends when its last lines have been written', async () => {
    const flush = jest.fn<void, [written: () => void]>();
    const output = { write: () => undefined, flush };
    stopOnSignals(createLogger('test', 'info', output), 60_000, () => Promise.resolve());
    await terminate();
    expect(exit).not.toHaveBeenCalled();
    flush.mock.calls[0]?.[0]();
    expect(exit.mock.calls).toEqual([[0]]);
  });
});
