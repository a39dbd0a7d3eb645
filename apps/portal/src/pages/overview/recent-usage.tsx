import { Anchor, Card, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { usePollUnlessLive } from '../../api/live';
import { queryKeys } from '../../api/query-keys';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { outcomeOf } from '../usage/outcome-words';

type RecentRequest = components['schemas']['UsageRequestReply'];

const HOW_MANY = 5;

const COLUMNS: Column<RecentRequest>[] = [
  {
    id: 'time',
    header: 'Time',
    cell: ({ request_id, created_at }) => (
      <Anchor component={Link} to={`/usage/${encodeURIComponent(request_id)}`} inherit>
        <When at={created_at} />
      </Anchor>
    ),
  },
  { id: 'model', header: 'Model', cell: ({ model }) => <span className="breakable">{model}</span> },
  {
    id: 'outcome',
    header: 'Outcome',
    wideOnly: true,
    cell: (request) => {
      const { words, tone } = outcomeOf(request);
      return <StatusBadge tone={tone}>{words}</StatusBadge>;
    },
  },
  {
    id: 'cost',
    header: 'USDC',
    align: 'right',
    cell: ({ charged_usdc }) => <Amount of={{ usdc: charged_usdc }} bare />,
  },
];

/** The last few requests. */
export function RecentUsage() {
  const query = useQuery({
    queryKey: [...queryKeys.usage, 'recent'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/portal/api/usage', { params: { query: { limit: HOW_MANY } }, signal })),
    refetchInterval: usePollUnlessLive(),
  });
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="recent-title">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="recent-title">
          Recent requests
        </Title>
        <Anchor component={Link} to="/usage" size="sm">
          All usage
        </Anchor>
      </Group>
      <DataTable
        what="Recent requests"
        columns={COLUMNS}
        rows={query.data?.data}
        rowId={({ request_id }) => request_id}
        error={query.error}
        retry={() => void query.refetch()}
        empty={
          <EmptyState title="No requests yet">
            Each one appears here within seconds, with what it cost.
          </EmptyState>
        }
      />
    </Card>
  );
}
