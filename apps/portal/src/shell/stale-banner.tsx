import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconRefreshAlert } from '@tabler/icons-react';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import type { Query, QueryClient } from '@tanstack/react-query';
import { isPassing } from '../api/api-error';
import { useCallback, useEffect, useSyncExternalStore } from 'react';

const EVERY_MS = 5_000;

/** Says that what is on the screen could not be read anew; it stays. That, and what never came, is asked for until it comes. */
export function StaleBanner() {
  const queries = useQueryClient();
  const { online } = useNetwork();
  const hasStale = useHas(isStale, queries);
  const hasMissing = useHas(isMissing, queries);
  useEffect(() => {
    if (!hasMissing) return undefined;
    const ask = () =>
      // What is on its way may take longer than that: it is not begun anew.
      void queries.refetchQueries({ type: 'active', predicate: isMissing }, { cancelRefetch: false });
    const timer = setInterval(ask, EVERY_MS);
    return () => clearInterval(timer);
  }, [hasMissing, queries]);
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

function useHas(predicate: (query: Query) => boolean, queries: QueryClient): boolean {
  const cache = queries.getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener)),
    [cache],
  );
  return useSyncExternalStore(subscribe, () => cache.findAll({ type: 'active' }).some(predicate));
}

/** Said in its place where it would be, unless it stands there from before. */
function isMissing(query: Query): boolean {
  return isStale(query) || (query.state.status === 'error' && isPassing(query.state.error));
}

/** It was read once, and not when it was read last. */
function isStale({ state: { status, data } }: Query): boolean {
  return status === 'error' && data !== undefined;
}
