import { useCallback, useSyncExternalStore } from 'react';
import { useSession } from './session-context';

/** Of this tab, by wallet and name. */
const kept = new Map<string, unknown>();
const listeners = new Set<() => void>();

/**
 * As `useState`, but what is set outlasts the page that set it, for the wallet that is signed in: another wallet has its own. A reload
 * forgets it.
 * @param first the same one each time
 */
export function useKeptState<T>(name: string, first: T): [state: T, set: (next: T) => void] {
  const { wallet } = useSession();
  const key = `${wallet} ${name}`;
  const state = useSyncExternalStore(subscribe, () => (kept.has(key) ? (kept.get(key) as T) : first));
  const set = useCallback(
    (next: T) => {
      kept.set(key, next);
      for (const listener of listeners) listener();
    },
    [key],
  );
  return [state, set];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
