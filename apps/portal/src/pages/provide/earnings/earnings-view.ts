/** What the tab shows; all of it stands in the address, so that a reload and going back come to the same place. */
export interface EarningsView {
  /** One of {@link PERIODS_DAYS}. */
  days: number;
  /** Of the lines, from 1. */
  page: number;
}

export const PERIODS_DAYS: readonly number[] = [7, 30, 90];
const USUAL_DAYS = 30;

/** What does not fit is as if it were not there. */
export function viewFrom(params: URLSearchParams): EarningsView {
  const days = Number(params.get('days'));
  return {
    days: PERIODS_DAYS.includes(days) ? days : USUAL_DAYS,
    page: Number(/^[1-9]\d{0,3}$/.exec(params.get('page') ?? '')?.[0] ?? 1),
  };
}

/** @returns what is not said by default */
export function paramsOf({ days, page }: EarningsView): URLSearchParams {
  const params = new URLSearchParams();
  if (days !== USUAL_DAYS) params.set('days', String(days));
  if (page > 1) params.set('page', String(page));
  return params;
}
