import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { marketNowMs } from '../../../api/market-clock';
import { OTHERS, daysOf, fewModels, modelsOf } from './earnings-days';
import type { Earnings } from './use-earnings';

const COLORS = ['accent.5', 'teal.6', 'orange.6', 'grape.6', 'cyan.7', 'pink.6', 'lime.8'];
const OTHERS_COLOR = 'gray.6';

interface EarningsChartProps {
  lines: Earnings['lines'];
  days: number;
}

/** Earnings by day, stacked by model. The table below says the same, of each. */
export default function EarningsChart({ lines, days }: EarningsChartProps) {
  const few = fewModels(lines);
  const series = modelsOf(few).map((name, index) => ({
    name,
    color: (name !== OTHERS && COLORS[index]) || OTHERS_COLOR,
  }));
  return (
    <BarChart
      h={240}
      data={daysOf(few, days, marketNowMs())}
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
