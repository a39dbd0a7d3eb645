import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense, lazy, useCallback, useMemo } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { codeWhenOnline } from '../../api/late-code';
import { shorten } from '../../design/address';
import { LoadFailed } from '../../design/load-failed';
import { PageBoundary } from '../../design/page-boundary';
import { PageHeader } from '../../design/page-header';
import { useStandingError } from '../../design/use-standing-error';
import { useKeys } from '../keys/keys';
import { useMarket } from '../models/market';
import { DownloadCsv } from './download-csv';
import { UsageControls } from './usage-controls';
import { useUsageSummary } from './usage-queries';
import { UsageTable } from './usage-table';
import { UsageTotals } from './usage-totals';
import { ADDRESS, NO_FILTERS, SERIES, paramsOf, viewFrom } from './usage-view';
import type { SeriesBy, UsageView } from './usage-view';
import './usage.css';

const UsageCharts = lazy(() => codeWhenOnline(() => import('./usage-charts')));

export default function UsagePage() {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => viewFrom(params), [params]);
  // With the place in the list, which stays where only the charts are split otherwise.
  const state = useLocation().state as unknown;
  const change = (next: Partial<UsageView>) => {
    // The address may be ahead of what is shown: of two changes in one moment the second keeps the first.
    const standing = viewFrom(new URLSearchParams(window.location.search));
    const [before, after] = [paramsOf(standing), paramsOf({ ...standing, ...next })];
    if (after.toString() !== before.toString()) setParams(after, { preventScrollReset: true, state });
  };
  const keys = useKeys().data;
  const models = useMarket().data;
  const nameOf = useCallback(
    (value: string) => {
      const name = keys?.find(({ id }) => id === value)?.name;
      if (name !== undefined && name !== '') return name;
      return ADDRESS.test(value) ? shorten(value) : value;
    },
    [keys],
  );
  return (
    <>
      <PageHeader
        title="Usage"
        description="What you used and what it cost. Days begin at midnight, UTC. Prompts and completions are not kept."
        actions={<DownloadCsv view={view} />}
      />
      <UsageControls
        view={view}
        change={change}
        models={models?.map(({ id }) => id) ?? []}
        keys={keys?.map(({ id, name }) => ({ value: id, label: name === '' ? id : name })) ?? []}
      />
      <Figures view={view} change={change} nameOf={nameOf} />
      <UsageTable
        view={view}
        nameOf={nameOf}
        showAll={() => change({ ...NO_FILTERS, range: { preset: '1y' } })}
      />
    </>
  );
}

interface FiguresProps {
  view: UsageView;
  change: (next: Partial<UsageView>) => void;
  nameOf: (value: string) => string;
}

function Figures({ view, change, nameOf }: FiguresProps) {
  const query = useUsageSummary(view);
  const { data, refetch, isPlaceholderData } = query;
  const error = useStandingError(query);
  if (error) return <LoadFailed what="Your usage" error={error} retry={() => void refetch()} />;
  // The list below says what that means.
  if (data && data.totals.requests + data.totals.errors === 0) return <UsageTotals totals={data.totals} />;
  return (
    <section aria-label="Sums and charts">
      <UsageTotals totals={data?.totals} />
      <Group gap="xs" mb="sm">
        <Text size="sm" id="split-label">
          Split by
        </Text>
        <SegmentedControl
          size="xs"
          aria-labelledby="split-label"
          data={Object.entries(SERIES).map(([value, label]) => ({ value, label }))}
          value={view.by}
          onChange={(by) => change({ by: by as SeriesBy })}
        />
        {view.outcome !== null && (
          <Text size="xs" c="dimmed">
            Sums and charts count requests of every outcome.
          </Text>
        )}
      </Group>
      <PageBoundary resetKey="charts">
        <Suspense fallback={<ChartsSkeleton />}>
          {data ? (
            <UsageCharts summary={data} refreshing={isPlaceholderData} nameOf={nameOf} />
          ) : (
            <ChartsSkeleton />
          )}
        </Suspense>
      </PageBoundary>
    </section>
  );
}

function ChartsSkeleton() {
  return (
    <Stack aria-busy aria-label="Charts are loading">
      <Skeleton height={270} />
      <Skeleton height={270} />
    </Stack>
  );
}
