import type { UsageSeries } from './usage-queries';

/** Told apart by most eyes, at least 3 to 1 on both schemes' cards; the legend and the table name what they stand for. */
const COLORS = ['#4263eb', '#d9730d', '#0ca678', '#ae3ec9', '#e64980', '#1098ad'];
const OTHERS = '#868e96';
const NOBODY = '#e03131';

export function seriesColor({ kind }: Pick<UsageSeries, 'kind'>, index: number): string {
  if (kind === 'others') return OTHERS;
  return kind === 'nobody' ? NOBODY : (COLORS[index % COLORS.length] ?? OTHERS);
}
