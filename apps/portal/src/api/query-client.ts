import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error';

/**
 * What is read from the gateway. What it refuses will be refused again, what is away it has waited for itself, and its silence has been
 * waited for: only where the connection was lost is it asked again before anybody hears of it.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isLost(error),
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

function isLost(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'offline' || error.status === 502);
}
