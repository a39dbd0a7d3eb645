import { invalidRequest } from '@svc/errors';

/** From the first moment to before the last, each open when undefined; ISO 8601 in UTC. */
export interface TimeRange {
  readonly from?: string;
  readonly to?: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WHOLE_HOUR = /T\d\d:00:00(\.0+)?Z$/;

/** Sums are kept by the hour. @throws SvcError invalid_request naming the end that is not a whole hour */
export function requireWholeHours({ from, to }: TimeRange): void {
  if (from !== undefined && !WHOLE_HOUR.test(from))
    throw invalidRequest('from must be a whole hour, such as 2026-11-21T06:00:00Z.', 'from');
  if (to !== undefined && !WHOLE_HOUR.test(to))
    throw invalidRequest('to must be a whole hour, such as 2026-11-21T06:00:00Z.', 'to');
}

/** The whole days within a range of whole hours, and the ranges of hours before and after them; each may be missing. */
export function splitByDay({ from, to }: TimeRange): { days?: TimeRange; hours: TimeRange[] } {
  const firstDay = from === undefined ? undefined : Math.ceil(Date.parse(from) / DAY_MS) * DAY_MS;
  const lastDay = to === undefined ? undefined : Math.floor(Date.parse(to) / DAY_MS) * DAY_MS;
  if (firstDay !== undefined && lastDay !== undefined && firstDay >= lastDay)
    return { hours: [{ from, to }] };
  const hours: TimeRange[] = [];
  if (firstDay !== undefined && firstDay > Date.parse(from ?? '')) hours.push({ from, to: iso(firstDay) });
  if (lastDay !== undefined && lastDay < Date.parse(to ?? '')) hours.push({ from: iso(lastDay), to });
  return { days: { from: optionalIso(firstDay), to: optionalIso(lastDay) }, hours };
}

/** The beginning of the hour that a moment falls in. */
export function hourOf(time: string): string {
  return iso(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS);
}

function optionalIso(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : iso(timeMs);
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
