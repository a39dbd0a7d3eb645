import { createLogger } from '@svc/observability';
import { endWhileStarting } from './stop-on-signals';

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
