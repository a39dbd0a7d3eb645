import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { LoadFailed } from '../../design/load-failed';
import { Stat } from '../../design/stat';
import { useStandingError } from '../../design/use-standing-error';
import { When } from '../../design/when';
import { ActorName } from './actor-name';
import { SettlementStanding } from './settlement-standing';

type Difference = components['schemas']['SettlementDifferenceReply'];

const REFRESH_MS = 10_000;

const COLUMNS: Column<Difference>[] = [
  { id: 'rule', header: 'Rule', cell: ({ rule }) => rule },
  {
    id: 'subject',
    header: 'Of',
    cell: ({ subject }) => (subject === null ? 'all together' : <ActorName actor={subject} />),
  },
  { id: 'expected', header: 'Expected', cell: ({ expected }) => expected, align: 'right' },
  { id: 'actual', header: 'Found', cell: ({ actual }) => actual, align: 'right' },
];

/** @param compared whether figures ever were */
function NothingDiffers({ compared }: { compared: boolean }) {
  return (
    <EmptyState title={compared ? 'Nothing differs' : 'Not compared yet'} icon={<IconScale size={22} />}>
      {compared
        ? 'Every figure agreed when they were last compared.'
        : 'Billing compares figures for the first time soon after it has started.'}
    </EmptyState>
  );
}

export function SettlementTab() {
  const query = useQuery({
    queryKey: [...queryKeys.operators, 'settlement'],
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/operators/settlement', { signal })),
    refetchInterval: REFRESH_MS,
  });
  const { data, refetch } = query;
  const error = useStandingError(query);
  if (error) return <LoadFailed what="Settlement" error={error} retry={() => void refetch()} />;
  const differences = data?.pauses.flatMap((pause) => pause.differences);
  return (
    <Stack gap="xl">
      <SettlementStanding settlement={data} />
      <section aria-labelledby="reconciliation">
        <Title order={2} id="reconciliation" mb={4}>
          Reconciliation
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          The ledger is compared with itself and with the chain. A difference pauses settlement until somebody
          has looked at it.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }} mb="md">
          <Stat label="Last compared" value={data && <When at={data.reconciled_at} />} />
          <Stat label="Last compared in full" value={data && <When at={data.fully_reconciled_at} />} />
          <Stat label="Unsettled, USDC" value={data && <Amount of={{ usdc: data.unsettled_usdc }} bare />} />
        </SimpleGrid>
        <DataTable
          what="Differences"
          columns={COLUMNS}
          rows={differences}
          rowId={({ rule, subject }) => `${rule} ${subject ?? ''}`}
          empty={<NothingDiffers compared={data?.reconciled_at !== null} />}
        />
      </section>
    </Stack>
  );
}
