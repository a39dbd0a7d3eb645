import { Anchor, Card, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import { DataTable } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { usePollUnlessLive } from '../../live/live-context';
import { FEW_USAGE_COLUMNS } from '../usage/usage-columns';

const HOW_MANY = 5;

/** The last few requests. */
export function RecentUsage() {
  const query = useQuery({
    queryKey: [...queryKeys.usage, 'recent'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/portal/api/usage', { params: { query: { limit: HOW_MANY } }, signal })),
    refetchInterval: usePollUnlessLive(),
  });
  return (
    // No part of its own to screen readers: the table in it is one, by the same name.
    <Card withBorder padding="lg">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Recent requests</Title>
        <Anchor component={Link} to="/usage" size="sm">
          All usage
        </Anchor>
      </Group>
      <DataTable
        what="Recent requests"
        columns={FEW_USAGE_COLUMNS}
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
