import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { marketNowMs } from '../../../api/market-clock';
import { daysOf, modelsOf } from './earnings-days';
import type { Earnings } from './use-earnings';

const COLORS = ['accent.5', 'teal.6', 'orange.6', 'grape.6', 'cyan.7', 'pink.6', 'lime.8', 'gray.6'];

interface EarningsChartProps {
  lines: Earnings['lines'];
  days: number;
}

/** Earnings by day, stacked by model. The table below says the same. */
export default function EarningsChart({ lines, days }: EarningsChartProps) {
  const series = modelsOf(lines).map((name, index) => ({
    name,
    color: COLORS[Math.min(index, COLORS.length - 1)] ?? 'gray.6',
  }));
  return (
    <BarChart
      h={240}
      data={daysOf(lines, days, marketNowMs())}
      dataKey="day"
      type="stacked"
      series={series}
      valueFormatter={(value) => value.toLocaleString('en', { maximumFractionDigits: 6 })}
      withLegend={series.length > 1}
      gridAxis="x"
      // Nothing in it takes the focus: it is hidden from screen readers, who have the table.
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
