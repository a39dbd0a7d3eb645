/**
 * A page of rows that were asked for one more than it holds.
 * @returns `last` is the row after which the next page begins; undefined on the last page
 */
export function pageOf<Row>(rows: readonly Row[], most: number): { items: Row[]; last: Row | undefined } {
  const items = rows.slice(0, most);
  return { items, last: rows.length > most ? items.at(-1) : undefined };
}
