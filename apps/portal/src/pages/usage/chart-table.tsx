import { Table } from '@mantine/core';
import type { ChartRow, Metric } from './chart-data';
import type { UsageSummary } from './usage-queries';

interface ChartTableProps {
  metric: Metric;
  unit: UsageSummary['unit'];
  rows: ChartRow[];
  series: { name: string; label: string }[];
}

const UNIT_WORDS = { hour: 'Hour (UTC)', day: 'Day (UTC)', month: 'Month (UTC)' } as const;

/** A chart's figures, exact, the newest first. */
export function ChartTable({ metric, unit, rows, series }: ChartTableProps) {
  return (
    <Table.ScrollContainer
      minWidth={0}
      maxHeight={260}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={`${metric.title}, table`}
    >
      <Table stickyHeader verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{UNIT_WORDS[unit]}</Table.Th>
            {series.map(({ name, label }) => (
              <Table.Th key={name} ta="right" className="breakable">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.toReversed().map((row) => (
            <Table.Tr key={row.label}>
              <Table.Th scope="row" fw={400}>
                {row.label}
              </Table.Th>
              {series.map(({ name }) => (
                <Table.Td key={name} ta="right" className="figures">
                  {metric.shown(figureOf(row, name))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function figureOf(row: ChartRow, name: string): number | null {
  const figure = row[name];
  return typeof figure === 'number' ? figure : null;
}
