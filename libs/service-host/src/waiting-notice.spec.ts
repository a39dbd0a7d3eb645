import type { Logger } from '@svc/observability';
import { tellOfWaiting } from './waiting-notice';

const warn = jest.fn();
const logger = { warn } as unknown as Logger;

beforeEach(() => {
  jest.useFakeTimers();
  warn.mockClear();
});
afterEach(() => jest.useRealTimers());

describe('tellOfWaiting', () => {
  it('says nothing of a connection that comes', async () => {
    await expect(tellOfWaiting(Promise.resolve('connected'), logger)).resolves.toBe('connected');
    jest.advanceTimersByTime(60_000);
    expect(warn).not.toHaveBeenCalled();
  });

  it('says once that nobody answers', () => {
    void tellOfWaiting(new Promise(() => undefined), logger);
    jest.advanceTimersByTime(60_000);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('NATS does not answer'));
  });
});
