const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ranges of time up to now, by the word that stands in the address. */
export const PRESETS = {
  '24h': { label: '24 hours', ms: DAY_MS },
  '7d': { label: '7 days', ms: 7 * DAY_MS },
  '30d': { label: '30 days', ms: 30 * DAY_MS },
  '90d': { label: '90 days', ms: 90 * DAY_MS },
  '1y': { label: '12 months', ms: 365 * DAY_MS },
} as const;
export type Preset = keyof typeof PRESETS;

/** A preset of time up to now; or whole days in UTC, the last one included. */
export type UsageRange = { preset: Preset } | { first: string; last: string };

export const DEFAULT_PRESET: Preset = '30d';

/** What the API is asked for. */
interface TimeSpan {
  from: string;
  to?: string;
}

/** A preset ends now, whenever that is, so it is open. */
export function spanOf(range: UsageRange, now: Date): TimeSpan {
  if ('preset' in range) {
    const fromMs = now.getTime() - PRESETS[range.preset].ms;
    return { from: new Date(Math.floor(fromMs / HOUR_MS) * HOUR_MS).toISOString() };
  }
  const afterLast = new Date(Date.parse(`${range.last}T00:00:00Z`) + DAY_MS);
  return { from: `${range.first}T00:00:00Z`, to: afterLast.toISOString() };
}

/** `2026-11-21`; undefined for a day that is none. */
export function readDay(text: string | null): string | undefined {
  if (text === null || !/^20\d\d-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined;
}

/** Both days in order; undefined when one is missing. */
export function readDays(first: string | null, last: string | null): UsageRange | undefined {
  const [one, other] = [readDay(first), readDay(last)];
  if (one === undefined || other === undefined) return undefined;
  return one <= other ? { first: one, last: other } : { first: other, last: one };
}

/** The days that a preset covers, to begin with when somebody wants days of their own. */
export function daysOf(range: UsageRange, now: Date): { first: string; last: string } {
  if (!('preset' in range)) return range;
  const { from } = spanOf(range, now);
  return { first: from.slice(0, 10), last: now.toISOString().slice(0, 10) };
}
