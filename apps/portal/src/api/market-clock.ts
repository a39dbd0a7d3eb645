/** How far the marketplace's clock is ahead of the browser's, by its last reply. */
let aheadMs = 0;

/** A reply says whole seconds and was on its way for a while: a browser that is no further off is taken to be right. */
const UNSURE_MS = 5_000;

/** @param headers of a reply that no cache keeps */
export function readMarketClock(headers: Headers): void {
  const toldMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(toldMs)) return;
  const differenceMs = toldMs - Date.now();
  aheadMs = Math.abs(differenceMs) < UNSURE_MS ? 0 : differenceMs;
}

/** Unix milliseconds as the marketplace has them: what it says, and takes, goes by its own clock, and a browser's may be wrong by days. */
export function marketNowMs(): number {
  return Date.now() + aheadMs;
}
