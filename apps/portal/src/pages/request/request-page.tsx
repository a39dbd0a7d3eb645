import { Anchor, Button, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconArrowLeft, IconSearchOff } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { EmptyState } from '../../design/empty-state';
import { LoadFailed } from '../../design/load-failed';
import { PageHeader } from '../../design/page-header';
import { useStandingError } from '../../design/use-standing-error';
import { AttemptsCard } from './attempts-card';
import { CostCard } from './cost-card';
import { ReceiptCard } from './receipt-card';
import { useRequest } from './request-queries';
import type { RequestDetail } from './request-queries';
import { SettlementCard } from './settlement-card';
import { SummaryCard } from './summary-card';
import { TimesCard } from './times-card';

const NOT_FOUND = 404;

export default function RequestPage() {
  const { requestId = '' } = useParams();
  const query = useRequest(requestId);
  const { data, refetch } = query;
  const error = useStandingError(query);
  return (
    <>
      <Anchor component={Link} to="/usage" size="sm">
        <Group gap={4} component="span" display="inline-flex">
          <IconArrowLeft size={14} aria-hidden />
          All usage
        </Group>
      </Anchor>
      <PageHeader
        title="Request"
        description="Figures only: the prompt and the completion were never kept."
      />
      {data ? (
        <Detail detail={data} />
      ) : error instanceof ApiError && error.status === NOT_FOUND ? (
        <NoSuchRequest />
      ) : error ? (
        <LoadFailed what="The request" error={error} retry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </>
  );
}

function Detail({ detail }: { detail: RequestDetail }) {
  return (
    <Stack gap="md">
      <SummaryCard detail={detail} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <CostCard detail={detail} />
        <Stack gap="md">
          <TimesCard detail={detail} />
          <AttemptsCard detail={detail} />
        </Stack>
      </SimpleGrid>
      <SettlementCard detail={detail} />
      <ReceiptCard detail={detail} />
    </Stack>
  );
}

function NoSuchRequest() {
  return (
    <EmptyState
      title="There is no such request"
      icon={<IconSearchOff />}
      action={
        <Button component={Link} to="/usage" variant="default">
          To all usage
        </Button>
      }
    >
      This wallet has no request of that id. One that was refused before anything was held for it is not kept;
      one that still runs appears when it ends.
    </EmptyState>
  );
}

function Loading() {
  return (
    <Stack aria-busy aria-label="The request is loading">
      <Skeleton height={130} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Skeleton height={260} />
        <Skeleton height={260} />
      </SimpleGrid>
    </Stack>
  );
}
