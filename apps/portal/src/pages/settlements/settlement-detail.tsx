import { Alert, Anchor, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error';
import { Amount } from '../../design/amount';
import { LoadFailed } from '../../design/load-failed';
import { NotFoundPage } from '../../design/not-found-page';
import { PageHeader } from '../../design/page-header';
import { Stat } from '../../design/stat';
import { StatusBadge } from '../../design/status-badge';
import { useCursor } from '../../design/use-cursor';
import { useStandingError } from '../../design/use-standing-error';
import { When } from '../../design/when';
import { CollectedTable } from './collected-table';
import { SettlementFacts } from './settlement-facts';
import { stateWords } from './settlement-words';
import { useSettlement } from './settlements';
import type { SettlementReply } from './settlements';

/** One batch, as the wallet's own line in it goes. */
export function SettlementDetail({ id }: { id: string }) {
  const { cursor, pagingTo } = useCursor();
  const query = useSettlement(id, cursor);
  const { data, refetch, isPlaceholderData } = query;
  const error = useStandingError(query);
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <>
      <Anchor component={Link} to="/settlements" size="sm" mb="xs" display="inline-block">
        <Group gap={4} component="span">
          <IconArrowLeft size={14} aria-hidden /> Settlements
        </Group>
      </Anchor>
      <PageHeader
        title="Settlement"
        description={
          data && (
            <>
              Made <When at={data.created_at} absolute />
              {data.settled_at !== null && (
                <>
                  , final <When at={data.settled_at} absolute />
                </>
              )}
            </>
          )
        }
      />
      {error ? (
        <LoadFailed error={error} what="The settlement" retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Stack gap="lg">
          <OwnFigures settlement={data} />
          <SettlementFacts settlement={data} />
          <section aria-labelledby="collected">
            <Title order={2} mb="sm" id="collected">
              Your receipts in it
            </Title>
            <CollectedTable
              receipts={data.collected}
              paging={pagingTo(data.next)}
              refreshing={isPlaceholderData}
            />
          </section>
        </Stack>
      )}
    </>
  );
}

function OwnFigures({ settlement }: { settlement: SettlementReply }) {
  const { own } = settlement;
  const { label, tone, meaning } = stateWords(settlement);
  return (
    <>
      {own.failed ? (
        <Alert color="red" variant="light" title={label}>
          {meaning}
        </Alert>
      ) : (
        <Text size="sm" component="div">
          <StatusBadge tone={tone}>{label}</StatusBadge> {meaning}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Stat
          label="Collected"
          value={<Amount of={{ usdc: own.pulled_usdc }} />}
          hint="Moved from your wallet by this batch"
        />
        <Stat
          label="New in this batch"
          value={<Amount of={{ usdc: own.amount_usdc }} />}
          hint="What its receipts add up to"
        />
        <Stat
          label="Owed in all, with it"
          value={<Amount of={{ usdc: own.cumulative_usdc }} />}
          hint="Since your first request: what the contract is told"
        />
      </SimpleGrid>
    </>
  );
}

function Loading() {
  return (
    <Stack aria-busy aria-label="Loading">
      <Skeleton height={90} />
      <Skeleton height={180} />
      <Skeleton height={240} />
    </Stack>
  );
}
