import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error';

/**
 * What is read from the gateway. What it refuses will be refused again, and what is away it has waited for itself: only where it gave no
 * answer is it asked again before anybody hears of it.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isUnanswered(error),
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

function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 502);
}
