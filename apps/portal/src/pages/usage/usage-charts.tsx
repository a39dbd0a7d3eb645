import { SimpleGrid } from '@mantine/core';
import '@mantine/charts/styles.layer.css';
import { METRICS } from './chart-data';
import { MetricChart } from './metric-chart';
import type { UsageSummary } from './usage-queries';

interface UsageChartsProps {
  summary: UsageSummary;
  /** Another time or another split is on its way. */
  refreshing: boolean;
  /** Keys by their names. */
  nameOf: (value: string) => string;
}

/** All charts; a chunk of its own, for drawing takes a large library. */
export default function UsageCharts({ summary, refreshing, nameOf }: UsageChartsProps) {
  const [cost, ...others] = METRICS;
  const chart = (metric: (typeof METRICS)[number]) => (
    <MetricChart key={metric.id} metric={metric} summary={summary} nameOf={nameOf} />
  );
  return (
    <div aria-busy={refreshing} style={{ opacity: refreshing ? 0.6 : 1 }}>
      {cost && chart(cost)}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" mt="md">
        {others.map(chart)}
      </SimpleGrid>
    </div>
  );
}
