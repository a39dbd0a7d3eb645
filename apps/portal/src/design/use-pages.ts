import { announce } from './announcer';
import type { Paging } from './data-table';

interface Pages<Row> {
  /** Those of the page that is shown; undefined while there are none at all. */
  shown: readonly Row[] | undefined;
  paging: Paging;
}

/**
 * A list that came as a whole, cut into pages here.
 * @param place the page that is shown, from 1, and what shows another; whoever keeps it begins another list with the first
 */
export function usePages<Row>(
  rows: readonly Row[] | undefined,
  rowsAPage: number,
  [page, setPage]: readonly [page: number, setPage: (page: number) => void],
): Pages<Row> {
  const pages = Math.max(Math.ceil((rows?.length ?? 0) / rowsAPage), 1);
  // It may have become shorter.
  const current = Math.min(page, pages);
  const go = (to: number) => () => {
    setPage(to);
    announce(labelOf(to, pages));
  };
  return {
    shown: rows?.slice((current - 1) * rowsAPage, current * rowsAPage),
    paging: {
      previous: current > 1 ? go(current - 1) : undefined,
      next: current < pages ? go(current + 1) : undefined,
      label: pages > 1 ? labelOf(current, pages) : undefined,
    },
  };
}

function labelOf(page: number, pages: number): string {
  return `Page ${page} of ${pages}`;
}
