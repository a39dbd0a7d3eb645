import { showUsdc, toBaseUnits } from '../../design/money';
import { showDuration } from '../../design/time';
import type { UsageFigures, UsageSeries, UsageSummary } from './usage-queries';

export interface Metric {
  id: string;
  title: string;
  /** A figure as a number: where it is drawn. Null leaves a gap. */
  drawn: (figures: UsageFigures) => number | null;
  /** As it is read. */
  shown: (drawn: number | null) => string;
  /** `sum`: series stand on each other; `mean`: each by itself. */
  kind: 'sum' | 'mean';
}

const count = new Intl.NumberFormat('en');
const showCount = (value: number | null) => (value === null ? '–' : count.format(value));

export const METRICS: readonly Metric[] = [
  {
    ...{ id: 'cost', title: 'Cost', kind: 'sum' },
    // Base units are whole numbers, exact up to nine billion USDC.
    drawn: ({ charged_usdc }) => Number(toBaseUnits(charged_usdc)),
    shown: (base) => (base === null ? '–' : `${showUsdc({ base: BigInt(Math.round(base)) })} USDC`),
  },
  {
    ...{ id: 'requests', title: 'Requests served', kind: 'sum' },
    drawn: ({ requests }) => requests,
    shown: showCount,
  },
  {
    ...{ id: 'tokens', title: 'Tokens', kind: 'sum' },
    drawn: ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens,
    shown: showCount,
  },
  { ...{ id: 'errors', title: 'Errors', kind: 'sum' }, drawn: ({ errors }) => errors, shown: showCount },
  {
    ...{ id: 'first-token', title: 'Time to the first token', kind: 'mean' },
    drawn: ({ first_token_ms }) => first_token_ms,
    shown: (ms) => (ms === null ? '–' : showDuration(ms)),
  },
];

/** What a series is called; `nameOf` knows keys by their names. */
export function seriesName({ kind, value }: UsageSeries, nameOf: (value: string) => string): string {
  if (kind === 'one' && value !== null) return nameOf(value);
  if (kind === 'others') return 'All others';
  return kind === 'nobody' ? 'Nobody served' : 'All';
}

/** One row for each time: the label, then a figure for each series, by its place (`s0`, `s1`, …). */
export type ChartRow = { label: string } & Record<string, number | string | null>;

export const seriesKey = (index: number) => `s${index}`;

export function chartRows({ times, unit, series }: UsageSummary, { drawn }: Metric): ChartRow[] {
  return times.map((time, at) => {
    const row: ChartRow = { label: timeLabel(time, unit) };
    series.forEach(({ figures }, index) => {
      const figure = figures[at];
      row[seriesKey(index)] = figure ? drawn(figure) : null;
    });
    return row;
  });
}

/** Whether a series has anything to draw. */
export function hasFigures({ figures }: UsageSeries, { drawn }: Metric): boolean {
  return figures.some((figure) => (drawn(figure) ?? 0) > 0);
}

const LABELS = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
} as const;

/** `21 Nov, 14:00`, `21 Nov`, `Nov 2026`; in UTC, as the sums are. */
export function timeLabel(time: string, unit: UsageSummary['unit']): string {
  return LABELS[unit].format(new Date(time));
}
