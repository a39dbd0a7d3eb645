import { ApiError, offlineError, silentError } from './api-error';
import { createQueryClient } from './query-client';

describe('a query', () => {
  it.each([
    ['of a connection that was lost is made thrice', offlineError(undefined), 3],
    [
      'of a proxy that found nobody is made thrice',
      new ApiError('no', { code: 'unreadable', status: 502 }),
      3,
    ],
    ['that met with silence has been waited for once', silentError(undefined), 1],
    [
      'of what is away, for which the gateway waited',
      new ApiError('no', { code: 'unavailable', status: 503 }),
      1,
    ],
    ['of what is refused', new ApiError('no', { code: 'not_found', status: 404 }), 1],
  ])('%s', async (_, error, times) => {
    const queries = createQueryClient();
    const read = jest.fn().mockRejectedValue(error);
    const retry = queries.getDefaultOptions().queries?.retry;
    await expect(queries.fetchQuery({ queryKey: [], queryFn: read, retry, retryDelay: 0 })).rejects.toBe(
      error,
    );
    expect(read).toHaveBeenCalledTimes(times);
  });
});
