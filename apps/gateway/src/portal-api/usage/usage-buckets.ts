import type { TimeUnit } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';

/** A range of whole hours, and the hours, days or months (UTC) that a chart of it has. */
export interface UsageBuckets {
  readonly from: string;
  readonly to: string;
  readonly unit: TimeUnit;
  /** When each begins: the first at `from` or before it. */
  readonly times: string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;
const MOST_HOURLY_MS = 3 * DAY_MS;
const MOST_DAILY_MS = 100 * DAY_MS;
/** 120 months and a little. */
const MOST_MS = 3_653 * DAY_MS;
/** Before it, nothing is a time (`IsUtcTime`). */
const EARLIEST_MS = Date.UTC(2000, 0);

/**
 * @param range UTC; 30 days unless told, the last ones
 * @param nowMs Unix milliseconds
 * @throws SvcError invalid_request
 */
export function usageBuckets({ from, to }: { from?: string; to?: string }, nowMs: number): UsageBuckets {
  const endMs = Math.ceil((to === undefined ? nowMs : Date.parse(to)) / HOUR_MS) * HOUR_MS;
  const startMs =
    from === undefined
      ? Math.max(endMs - DEFAULT_DAYS * DAY_MS, EARLIEST_MS)
      : Math.floor(Date.parse(from) / HOUR_MS) * HOUR_MS;
  const spanMs = endMs - startMs;
  if (spanMs <= 0) throw invalidRequest('to must be later than from.', to === undefined ? 'from' : 'to');
  if (spanMs > MOST_MS) throw invalidRequest('from must be at most ten years before to.', 'from');
  const unit = spanMs <= MOST_HOURLY_MS ? 'hour' : spanMs <= MOST_DAILY_MS ? 'day' : 'month';
  return { from: text(startMs), to: text(endMs), unit, times: timesOf(unit, startMs, endMs) };
}

function timesOf(unit: TimeUnit, startMs: number, endMs: number): string[] {
  const times: string[] = [];
  for (let beginMs = beginOf(unit, startMs); beginMs < endMs; beginMs = nextOf(unit, beginMs)) {
    times.push(text(beginMs));
  }
  return times;
}

function beginOf(unit: TimeUnit, timeMs: number): number {
  if (unit === 'hour') return timeMs;
  if (unit === 'day') return Math.floor(timeMs / DAY_MS) * DAY_MS;
  const time = new Date(timeMs);
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
}

function nextOf(unit: TimeUnit, beginMs: number): number {
  if (unit === 'hour') return beginMs + HOUR_MS;
  if (unit === 'day') return beginMs + DAY_MS;
  const begin = new Date(beginMs);
  return Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1);
}

function text(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}
