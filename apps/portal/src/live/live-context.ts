import { createContext, useContext } from 'react';

/** While events come, nothing has to be asked for again and again. */
export const POLL_MS = 10_000;

export const LiveContext = createContext(false);

/** For `refetchInterval` of what the event stream brings: false while it does. */
export function usePollUnlessLive(): number | false {
  return useContext(LiveContext) ? false : POLL_MS;
}
