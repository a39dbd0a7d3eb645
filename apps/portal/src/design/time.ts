const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `5 minutes ago`, `in 3 days`, `just now` within 45 seconds. */
export function showRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of UNITS) {
    const count = Math.round(seconds / length);
    if (Math.abs(seconds) >= length * 0.75 && count !== 0) return relative.format(count, unit);
  }
  return 'just now';
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** In the reader's own time zone and habit. */
export function showAbsolute(at: Date): string {
  return absolute.format(at);
}

/** `842 ms`, `1.4 s`, `2 min 5 s`. */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
