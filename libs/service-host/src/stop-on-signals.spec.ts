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

  it.each([
    ['has stopped in order', () => Promise.resolve(), 0],
    ['could not', () => Promise.reject(new Error('something is left')), 1],
  ])('says by its exit code that it %s', async (_, stop, code) => {
    jest.useFakeTimers();
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const standing = SIGNALS.flatMap((signal) => process.listeners(signal));
    stopOnSignals(logger, 60_000, stop);
    process.emit('SIGTERM');
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(exit.mock.calls).toEqual([[code]]);
    for (const signal of SIGNALS) {
      for (const each of process.listeners(signal)) if (!standing.includes(each)) process.off(signal, each);
    }
    exit.mockRestore();
    jest.useRealTimers();
  });
});
