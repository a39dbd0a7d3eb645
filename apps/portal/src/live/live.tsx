import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { api } from '../api/client';
import { queryKeys } from '../api/query-keys';
import { sessionHasEnded } from '../api/transport';
import { useSessionState } from '../session/session-context';
import { LiveContext, POLL_MS } from './live-context';
import type { Position } from './use-position';

/** Requests may be charged many times a second; lists and sums are read anew no more often than this. */
const USAGE_EVERY_MS = 5_000;

/** Keeps an event stream open while somebody is signed in and looks at the page; puts what it says into the queries' cache. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const { status, session } = useSessionState();
  const wallet = session?.wallet;
  const isVisible = useIsVisible();
  const [isLive, setIsLive] = useState(false);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (status !== 'signed-in' || !isVisible) return undefined;
    const source = new EventSource('/portal/api/live');
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    source.onerror = () => {
      setIsLive(false);
      if (source.readyState !== EventSource.CLOSED) return;
      // The browser comes again by itself after a break; not after a refusal. If the session has ended, its own 401 shows that: what is on
      // the screen may ask for nothing.
      void api.GET('/portal/api/session').catch(() => undefined);
      void queries.invalidateQueries({ queryKey: queryKeys.wallet });
      again = setTimeout(() => setRefusals((before) => before + 1), POLL_MS);
    };
    source.addEventListener('position', (event: MessageEvent<string>) => {
      const position = JSON.parse(event.data) as Position;
      // Another tab has signed in with another wallet: its figures are not to stand under this one's name.
      if (position.wallet !== wallet) return sessionHasEnded();
      // Not before: it may be open and have nobody who could tell anything.
      setIsLive(true);
      const before = queries.getQueryData<Position>(queryKeys.wallet);
      // What is being read at the moment may be of before.
      void queries.cancelQueries({ queryKey: queryKeys.wallet });
      queries.setQueryData(queryKeys.wallet, position);
      // Something was collected: there is a batch, or one stands otherwise.
      if (before && before.settled_usdc !== position.settled_usdc)
        void queries.invalidateQueries({ queryKey: queryKeys.settlements });
    });
    source.addEventListener('away', () => setIsLive(false));
    source.addEventListener('usage', () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: queryKeys.usage });
        void queries.invalidateQueries({ queryKey: queryKeys.keys });
      }, USAGE_EVERY_MS);
    });
    return () => {
      clearTimeout(timer);
      clearTimeout(again);
      source.close();
      setIsLive(false);
    };
  }, [status, wallet, isVisible, refusals, queries]);
  return <LiveContext value={isLive}>{children}</LiveContext>;
}

/** A browser has few connections to one server for all its tabs together; hidden ones let go of theirs. */
function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const onChange = () => setIsVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return isVisible;
}
