import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error';
import { api, dataOf } from '../api/client';
import { rememberFreshKey } from '../api/fresh-key';
import type { components } from '../api/generated/schema';
import { queryKeys } from '../api/query-keys';
import { rememberCsrfToken, sessionHasEnded, whenSessionExpires } from '../api/transport';

/** Its `wallet` is in lower case. */
export type Session = components['schemas']['SessionReply'];

interface SessionState {
  /** `expired`: there was one, and what is on the screen stays there until somebody signs in again. */
  status: 'loading' | 'signed-out' | 'signed-in' | 'expired' | 'unknown';
  /** The one that is, or the one that expired. */
  session: Session | undefined;
  /** Why it is `unknown`. */
  error: Error | null;
  retry: () => void;
  /** Takes what a sign-in gave. Another wallet than before starts from nothing. */
  begin: (session: Session) => void;
  /** Ends this session, or every one of the wallet. */
  signOut: (where?: 'here' | 'everywhere') => Promise<void>;
  /** Gives up a session that has expired: back to the sign-in page. */
  leave: () => void;
}

/** Tells the other tabs, which have the same cookie, which wallet signed in. */
const signIns = new BroadcastChannel('svc-sign-ins');
/** Tells them which wallet signed out: what they show of it is not for whoever comes next. */
const signOuts = new BroadcastChannel('svc-sign-outs');

const SessionContext = createContext<SessionState | undefined>(undefined);

export function useSessionState(): SessionState {
  const state = useContext(SessionContext);
  if (state === undefined) throw new Error('no session provider');
  return state;
}

/** For what is only shown to somebody who is signed in. */
export function useSession(): Session {
  const { session } = useSessionState();
  if (session === undefined) throw new Error('not signed in');
  return session;
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [expired, setExpired] = useState(false);
  const query = useQuery({ queryKey: queryKeys.session, queryFn: firstSession, staleTime: Infinity });
  const session = query.data ?? undefined;
  const { isPending, error, refetch } = query;

  useEffect(() => whenSessionExpires(() => setExpired(true)), []);

  const take = useCallback(
    (next: Session) => {
      rememberCsrfToken(next.csrf_token);
      const before = queries.getQueryData<Session | null>(queryKeys.session);
      if (before && before.wallet !== next.wallet) forget(queries);
      queries.setQueryData(queryKeys.session, next);
      setExpired(false);
      // What failed while there was no session is asked for again.
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
    },
    [queries],
  );

  useEffect(() => {
    const onSignIn = async ({ data: wallet }: MessageEvent<string>) => {
      const here = queries.getQueryData<Session | null>(queryKeys.session);
      // Asked before it: what comes of that, if anything, is of before.
      if (here === undefined) return void refetch();
      if (here && here.wallet !== wallet) return sessionHasEnded();
      // The cookie that all tabs have is that of the new session: its token is wanted with what is changed from here.
      const next = await readSession().catch(() => null);
      if (next?.wallet === wallet) take(next);
    };
    const listener = (event: MessageEvent<string>) => void onSignIn(event);
    signIns.addEventListener('message', listener);
    return () => signIns.removeEventListener('message', listener);
  }, [queries, take, refetch]);

  const begin = useCallback(
    (next: Session) => {
      signIns.postMessage(next.wallet);
      take(next);
    },
    [take],
  );

  const leave = useCallback(() => {
    rememberCsrfToken(undefined);
    setExpired(false);
    queries.setQueryData(queryKeys.session, null);
    // Once the page that shows it is gone, which hears of the session first: it would ask for it again, in vain.
    setTimeout(() => forget(queries));
  }, [queries]);

  const signOut = useCallback(
    async (where: 'here' | 'everywhere' = 'here') => {
      const wallet = queries.getQueryData<Session | null>(queryKeys.session)?.wallet;
      if (where === 'everywhere') await api.DELETE('/portal/api/sessions');
      else await endHere();
      if (wallet !== undefined) signOuts.postMessage(wallet);
      leave();
    },
    [queries, leave],
  );

  useEffect(() => {
    const onSignOut = ({ data: wallet }: MessageEvent<string>) => {
      if (queries.getQueryData<Session | null>(queryKeys.session)?.wallet === wallet) leave();
    };
    signOuts.addEventListener('message', onSignOut);
    return () => signOuts.removeEventListener('message', onSignOut);
  }, [queries, leave]);

  const status = statusOf({ isPending, session, expired, error });
  const state = useMemo<SessionState>(
    () => ({ status, session, error, retry: () => void refetch(), begin, signOut, leave }),
    [status, session, error, refetch, begin, signOut, leave],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

interface KnownOfSession extends Pick<SessionState, 'session' | 'error'> {
  isPending: boolean;
  expired: boolean;
}

function statusOf({ isPending, session, expired, error }: KnownOfSession): SessionState['status'] {
  if (isPending) return 'loading';
  if (session) return expired ? 'expired' : 'signed-in';
  return error ? 'unknown' : 'signed-out';
}

/** The session of the cookie, which all tabs share. */
async function readSession(): Promise<Session | null> {
  return (await dataOf(api.GET('/portal/api/visitor'))).session;
}

/** One that has ended by itself, or in another tab, has ended. */
async function endHere(): Promise<void> {
  try {
    await api.DELETE('/portal/api/session');
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
}

async function firstSession(): Promise<Session | null> {
  const session = await readSession();
  if (session) rememberCsrfToken(session.csrf_token);
  return session;
}

/** Nothing of one wallet may be seen by the next one. */
function forget(queries: ReturnType<typeof useQueryClient>): void {
  rememberFreshKey(undefined);
  const kept: readonly string[] = [queryKeys.config[0], queryKeys.session[0]];
  queries.removeQueries({ predicate: ({ queryKey }) => !kept.includes(String(queryKey[0])) });
}
