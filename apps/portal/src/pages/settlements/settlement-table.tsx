import { Anchor, Button, SimpleGrid, Text } from '@mantine/core';
import { IconReceipt2 } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';
import { Stat } from '../../design/stat';
import { StatusBadge } from '../../design/status-badge';
import { useCursor } from '../../design/use-cursor';
import { When } from '../../design/when';
import { usePosition } from '../../live/use-position';
import { HowItWorks } from './how-it-works';
import { stateWords } from './settlement-words';
import { useSettlements } from './settlements';
import type { Settlement } from './settlements';

const COLUMNS: Column<Settlement>[] = [
  {
    id: 'when',
    header: 'Batch',
    cell: ({ id, created_at }) => (
      <Anchor component={Link} to={`/settlements/${id}`} inherit>
        <When at={created_at} />
      </Anchor>
    ),
  },
  { id: 'state', header: 'State', cell: (settlement) => <State settlement={settlement} /> },
  {
    id: 'receipts',
    header: 'Receipts',
    align: 'right',
    wideOnly: true,
    cell: ({ own }) => own.receipts.toLocaleString('en'),
  },
  {
    id: 'owed',
    header: 'New, USDC',
    align: 'right',
    wideOnly: true,
    cell: ({ own }) => <Amount of={{ usdc: own.amount_usdc }} column />,
  },
  {
    id: 'collected',
    header: 'Collected, USDC',
    align: 'right',
    cell: ({ own }) => <Amount of={{ usdc: own.pulled_usdc }} column />,
  },
  {
    id: 'tx',
    header: 'Transaction',
    wideOnly: true,
    cell: ({ tx_hash }) =>
      tx_hash === null ? (
        <Text component="span" inherit c="dimmed">
          None yet
        </Text>
      ) : (
        <Address value={tx_hash} kind="tx" />
      ),
  },
];

export function SettlementTable() {
  const { cursor, pagingTo } = useCursor();
  const { data, error, refetch, isPlaceholderData } = useSettlements(cursor);
  return (
    <>
      <PageHeader
        title="Settlements"
        description="The transactions that collect from your wallet what its requests cost, with every receipt in them."
      />
      <Standing />
      <HowItWorks />
      <DataTable
        what="Your settlements"
        columns={COLUMNS}
        rows={data?.settlements}
        rowId={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={pagingTo(data?.next)}
        empty={<NoSettlements />}
      />
    </>
  );
}

function Standing() {
  const { data: position, isError } = usePosition();
  // The list below says what went wrong.
  if (isError && position === undefined) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mb="lg">
      <Stat
        label="Not collected yet"
        value={position && <Amount of={{ usdc: position.unsettled_usdc }} />}
        hint="Charged, and part of a batch to come or on its way"
      />
      <Stat
        label="Collected so far"
        value={position && <Amount of={{ usdc: position.settled_usdc }} />}
        hint="Final on chain"
      />
    </SimpleGrid>
  );
}

function State({ settlement }: { settlement: Settlement }) {
  const { label, tone, meaning } = stateWords(settlement);
  return (
    <span title={meaning}>
      <StatusBadge tone={tone}>{label}</StatusBadge>
    </span>
  );
}

function NoSettlements() {
  return (
    <EmptyState
      title="Nothing was collected yet"
      icon={<IconReceipt2 size={22} />}
      action={
        <Button component={Link} to="/playground" variant="default" mt="xs">
          Try the playground
        </Button>
      }
    >
      Once your wallet’s requests have cost something, it is collected in a batch within minutes, and the
      batch stands here.
    </EmptyState>
  );
}
