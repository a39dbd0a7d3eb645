import { useLocation, useNavigate } from 'react-router';
import { useSession } from '../session/session-context';
import type { Paging } from './data-table';

/** Kept with the entry of the browser's history: going back, and a reload, come to the same place in the wallet's list. */
interface Place {
  wallet: string;
  list: string;
  passed: string[];
}

/**
 * Where one is in a list that the server cuts by cursors. Cursors only lead onwards, so those passed are remembered.
 * @param list what is looked for in it; what another one passed does not count
 */
export function useCursor(list = ''): {
  cursor: string | undefined;
  pagingTo: (next: string | null | undefined) => Paging;
} {
  const location = useLocation();
  const navigate = useNavigate();
  const { wallet } = useSession();
  const { pathname, search } = location;
  const passed = passedIn(location.state, { wallet, list });
  const go = (to: string[]) =>
    void navigate({ pathname, search }, { state: { wallet, list, passed: to } satisfies Place });
  const pagingTo = (next: string | null | undefined): Paging => ({
    previous: passed.length === 0 ? undefined : () => go(passed.slice(0, -1)),
    next: next ? () => go([...passed, next]) : undefined,
    label: passed.length === 0 && !next ? undefined : `Page ${passed.length + 1}`,
  });
  return { cursor: passed.at(-1), pagingTo };
}

function passedIn(state: unknown, { wallet, list }: Omit<Place, 'passed'>): string[] {
  const place = state as Partial<Place> | null;
  const isHere = place?.wallet === wallet && place.list === list;
  return isHere && Array.isArray(place.passed) ? place.passed : [];
}
