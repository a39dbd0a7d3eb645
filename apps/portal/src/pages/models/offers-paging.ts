import type { Paging } from '../../design/data-table';

/** How many offers a page of them has. */
export const OFFERS_PAGE = 25;

/** Where the page begins that is to be shown: offers may have gone, and the page that was with them. */
export function pageStart(offset: number, all: number): number {
  const lastStart = Math.max(0, Math.ceil(all / OFFERS_PAGE) - 1) * OFFERS_PAGE;
  return Math.min(offset, lastStart);
}

export function pagingOf(offset: number, all: number, go: (offset: number) => void): Paging {
  const last = Math.min(offset + OFFERS_PAGE, all);
  return {
    previous: offset === 0 ? undefined : () => go(Math.max(0, offset - OFFERS_PAGE)),
    next: last >= all ? undefined : () => go(offset + OFFERS_PAGE),
    label: all <= OFFERS_PAGE ? undefined : `${offset + 1}–${last} of ${all.toLocaleString('en')}`,
  };
}
