import { BarChart, LineChart } from '@mantine/charts';
import { Button, Card, Center, Group, Text, Title } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { chartRows, hasFigures, seriesKey, seriesName } from './chart-data';
import type { Metric } from './chart-data';
import { ChartTable } from './chart-table';
import { SeriesLegend } from './series-legend';
import { seriesColor } from './series-color';
import type { UsageSummary } from './usage-queries';

interface MetricChartProps {
  metric: Metric;
  summary: UsageSummary;
  nameOf: (value: string) => string;
}

const HEIGHT = 200;

/** One figure over time, drawn, or as a table. */
export function MetricChart({ metric, summary, nameOf }: MetricChartProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const rows = useMemo(() => chartRows(summary, metric), [summary, metric]);
  const series = summary.series
    .map((each, index) => ({
      name: seriesKey(index),
      label: seriesName(each, nameOf),
      color: seriesColor(each, index),
      isEmpty: !hasFigures(each, metric),
    }))
    .filter(({ isEmpty }) => !isEmpty);
  const isEmpty = series.length === 0;
  return (
    <Card withBorder padding="md" component="section" aria-labelledby={id}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Group gap="xs" align="baseline">
          <Title order={2} size="h3" id={id}>
            {metric.title}
          </Title>
          <Text size="sm" c="dimmed" className="figures">
            {metric.shown(metric.drawn(summary.totals))}
          </Text>
        </Group>
        {!isEmpty && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={asTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            onClick={() => setAsTable(!asTable)}
            aria-label={asTable ? `${metric.title} as a chart` : `${metric.title} as a table`}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        )}
      </Group>
      {isEmpty ? (
        <Center h={80}>
          <Text size="sm" c="dimmed">
            {metric.id === 'errors' ? 'None in this time.' : 'Nothing in this time.'}
          </Text>
        </Center>
      ) : asTable ? (
        <ChartTable metric={metric} unit={summary.unit} rows={rows} series={series} />
      ) : (
        <>
          <div role="img" aria-label={inWords(metric, summary, series.length)}>
            <Drawing metric={metric} rows={rows} series={series} />
          </div>
          <SeriesLegend series={series} />
        </>
      )}
    </Card>
  );
}

interface DrawingProps {
  metric: Metric;
  rows: ReturnType<typeof chartRows>;
  series: { name: string; label: string; color: string }[];
}

function Drawing({ metric, rows, series }: DrawingProps) {
  const shared = {
    h: HEIGHT,
    data: rows,
    dataKey: 'label',
    series,
    valueFormatter: metric.shown,
    tickLine: 'none',
    gridAxis: 'x',
    withLegend: false,
    // The figures beside it are exact; at the axis there is room for rounded ones.
    yAxisProps: {
      width: 56,
      tickFormatter: (value: number) => axisLabel(metric, value),
      allowDecimals: false,
    },
    xAxisProps: { minTickGap: 24 },
  } as const;
  // The table is the way for keyboards and screen readers, so the drawing takes no focus.
  const chartProps = { accessibilityLayer: false };
  if (metric.kind === 'mean') {
    return (
      <LineChart
        {...shared}
        curveType="linear"
        connectNulls={false}
        lineChartProps={chartProps}
        dotProps={{ r: 2 }}
      />
    );
  }
  return <BarChart {...shared} type="stacked" maxBarWidth={36} barChartProps={chartProps} />;
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Small amounts are what most charts are of. */
const few = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function axisLabel({ id, shown }: Metric, value: number): string {
  if (id === 'first-token') return shown(value);
  if (id !== 'cost') return short.format(value);
  return (value < 1_000_000_000 ? few : short).format(value / 1_000_000);
}

function inWords({ title }: Metric, { unit, by, times }: UsageSummary, series: number): string {
  const split = by === null ? '' : `, by ${by}, ${series} series`;
  return `Chart: ${title} by ${unit}, ${times.length} ${unit}s${split}. The table has the same figures.`;
}
