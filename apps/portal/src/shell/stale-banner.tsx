import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconRefreshAlert } from '@tabler/icons-react';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import type { Query, QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';

const EVERY_MS = 10_000;

/** Says that what is on the screen could not be read anew; it stays, and is asked for until it comes. */
export function StaleBanner() {
  const queries = useQueryClient();
  const { online } = useNetwork();
  const hasStale = useHasStale(queries);
  useEffect(() => {
    if (!hasStale) return undefined;
    const ask = () => void queries.refetchQueries({ type: 'active', predicate: isStale });
    const timer = setInterval(ask, EVERY_MS);
    return () => clearInterval(timer);
  }, [hasStale, queries]);
  return (
    <div role="status" aria-live="polite">
      {hasStale && online && (
        <Alert color="yellow" variant="light" icon={<IconRefreshAlert />} mb="md" title="Not up to date">
          Some of what you see is of before: the marketplace did not say how it stands now. It is asked again
          by itself.
        </Alert>
      )}
    </div>
  );
}

function useHasStale(queries: QueryClient): boolean {
  const cache = queries.getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener)),
    [cache],
  );
  return useSyncExternalStore(subscribe, () => cache.findAll({ type: 'active' }).some(isStale));
}

/** It was read once, and not when it was read last. */
function isStale({ state: { status, data } }: Query): boolean {
  return status === 'error' && data !== undefined;
}
