import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error';

/** What is read from the gateway. What it refuses will be refused again, so only failures of the way are retried. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isPassing(error),
        refetchOnWindowFocus: true,
        // The page shows what the browser believes about the connection, and asks all the same: it is often wrong.
        networkMode: 'always',
        // Which is not done in that mode unless asked for.
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504;
}
