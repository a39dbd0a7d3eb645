import { useSyncExternalStore } from 'react';

/** An API key that was made in this tab a moment ago. Its value is in no other place: a reload, or signing out, forgets it. */
interface FreshKey {
  id: string;
  value: string;
}

let fresh: FreshKey | undefined;
const listeners = new Set<() => void>();

export function rememberFreshKey(key: FreshKey | undefined): void {
  fresh = key;
  for (const listener of listeners) listener();
}

/** Its value works no more. */
export function forgetFreshKey(id: string): void {
  if (fresh?.id === id) rememberFreshKey(undefined);
}

/** For code samples that are to work as they are. */
export function useFreshKey(): FreshKey | undefined {
  return useSyncExternalStore(subscribe, () => fresh);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
