import type { UsageSeries } from './usage-queries';

/** Told apart by most eyes, at least 3 to 1 on both schemes' cards; the legend and the table name what they stand for. */
const COLORS = ['blue.6', 'orange.7', 'teal.7', 'grape.6', 'pink.6', 'cyan.7'];

export function seriesColor({ kind }: Pick<UsageSeries, 'kind'>, index: number): string {
  if (kind === 'others') return 'gray.6';
  return kind === 'nobody' ? 'red.7' : (COLORS[index % COLORS.length] ?? 'blue.6');
}
