import { useCallback, useState } from 'react';
import type { Paging } from './data-table';

/**
 * Where one is in a list that the server cuts by cursors. Cursors only lead onwards, so those passed are remembered.
 * `reset` after a filter changed.
 */
export function useCursor(): {
  cursor: string | undefined;
  pagingTo: (next: string | null | undefined) => Paging;
  reset: () => void;
} {
  const [passed, setPassed] = useState<string[]>([]);
  const cursor = passed.at(-1);
  const pagingTo = useCallback(
    (next: string | null | undefined): Paging => ({
      previous: passed.length === 0 ? undefined : () => setPassed((all) => all.slice(0, -1)),
      next: next ? () => setPassed((all) => [...all, next]) : undefined,
      label: passed.length === 0 && !next ? undefined : `Page ${passed.length + 1}`,
    }),
    [passed],
  );
  const reset = useCallback(() => setPassed([]), []);
  return { cursor, pagingTo, reset };
}
