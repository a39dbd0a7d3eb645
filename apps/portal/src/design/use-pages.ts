import { useState } from 'react';
import { announce } from './announcer';
import type { Paging } from './data-table';

interface Pages<Row> {
  /** Those of the page that is shown; undefined while there are none at all. */
  shown: readonly Row[] | undefined;
  paging: Paging;
  /** Back to the first: another list begins there. */
  restart: () => void;
}

/** A list that came as a whole, cut into pages here. */
export function usePages<Row>(rows: readonly Row[] | undefined, rowsAPage: number): Pages<Row> {
  const [page, setPage] = useState(0);
  const pages = Math.max(Math.ceil((rows?.length ?? 0) / rowsAPage), 1);
  // It may have become shorter.
  const current = Math.min(page, pages - 1);
  const go = (to: number) => () => {
    setPage(to);
    announce(labelOf(to, pages));
  };
  return {
    shown: rows?.slice(current * rowsAPage, (current + 1) * rowsAPage),
    paging: {
      previous: current > 0 ? go(current - 1) : undefined,
      next: current < pages - 1 ? go(current + 1) : undefined,
      label: pages > 1 ? labelOf(current, pages) : undefined,
    },
    restart: () => setPage(0),
  };
}

function labelOf(page: number, pages: number): string {
  return `Page ${page + 1} of ${pages}`;
}
