import { Anchor, Button, Skeleton, Title } from '@mantine/core';
import { IconChartBar, IconFilterOff } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { DataTable } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { useCursor } from '../../design/use-cursor';
import { usageColumns } from './usage-columns';
import { useHasRequests, useUsageList } from './usage-queries';
import { isFiltered, paramsOf } from './usage-view';
import type { UsageView } from './usage-view';

interface UsageTableProps {
  view: UsageView;
  nameOf: (keyId: string) => string;
  /** Back to every request of the longest time. */
  showAll: () => void;
}

/** The requests themselves, cut into pages by the server. */
export function UsageTable({ view, nameOf, showAll }: UsageTableProps) {
  const { cursor, pagingTo } = useCursor(paramsOf({ ...view, by: 'model' }).toString());
  const { data, error, refetch, isPlaceholderData } = useUsageList(view, cursor);
  const columns = useMemo(() => usageColumns(nameOf), [nameOf]);
  return (
    <section aria-labelledby="requests-title">
      <Title order={2} id="requests-title" mt="xl" mb="sm">
        Requests
      </Title>
      <DataTable
        what="The requests"
        columns={columns}
        rows={data?.data}
        rowId={({ request_id, outcome }) => `${request_id} ${outcome}`}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={pagingTo(data?.next)}
        empty={<NothingHere view={view} showAll={showAll} />}
      />
    </section>
  );
}

/** Nothing fits; or there is nothing yet at all, which is another thing to say. */
function NothingHere({ view, showAll }: Pick<UsageTableProps, 'view' | 'showAll'>) {
  const { data: hasRequests, isPending } = useHasRequests();
  if (isPending) return <Skeleton height={200} aria-label="Loading" />;
  return hasRequests === false && !isFiltered(view) ? <NoRequests /> : <NoneFits showAll={showAll} />;
}

function NoRequests() {
  return (
    <EmptyState
      title="No requests yet"
      icon={<IconChartBar />}
      action={
        <Button component={Link} to="/playground" variant="default">
          Try the playground
        </Button>
      }
    >
      Every request that was admitted stands here within seconds, with what it cost. Or{' '}
      <Anchor component={Link} to="/keys" inherit underline="always">
        make a key
      </Anchor>{' '}
      and send one yourself.
    </EmptyState>
  );
}

function NoneFits({ showAll }: { showAll: () => void }) {
  return (
    <EmptyState
      title="No such requests in this time"
      icon={<IconFilterOff />}
      action={
        <Button variant="default" onClick={showAll}>
          Show all of the last 12 months
        </Button>
      }
    />
  );
}
