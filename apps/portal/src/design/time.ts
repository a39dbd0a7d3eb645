/** Each unit's seconds, and from how many on it is taken: from where the next smaller one would be rounded to it. */
const UNITS: [unit: Intl.RelativeTimeFormatUnit, length: number, from: number][] = [
  ['year', 31_536_000, 31_492_800],
  ['month', 2_592_000, 2_548_800],
  ['day', 86_400, 84_600],
  ['hour', 3_600, 3_570],
  ['minute', 60, 45],
];

// In numbers alone: a day ago need not be what the reader calls yesterday, nor twelve months last year.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `5 minutes ago`, `in 3 days`, `just now` within 45 seconds. */
export function showRelative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length, from] of UNITS) {
    if (Math.abs(seconds) >= from) return relative.format(Math.round(seconds / length), unit);
  }
  return 'just now';
}

const absolute = new Intl.DateTimeFormat(undefined, {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});

/** In the reader's own time zone, which it names, and habit: sums and charts go by UTC. */
export function showAbsolute(at: Date): string {
  return absolute.format(at);
}

/** `842 ms`, `1.4 s`, `2 min 5 s`. */
export function showDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
