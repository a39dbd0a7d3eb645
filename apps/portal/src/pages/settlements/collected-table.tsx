import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column, Paging } from '../../design/data-table';
import { When } from '../../design/when';
import { kindWords, requestOf } from './settlement-words';
import type { CollectedReceipt } from './settlements';

const COLUMNS: Column<CollectedReceipt>[] = [
  { id: 'kind', header: 'Receipt', cell: (receipt) => <ReceiptLink receipt={receipt} /> },
  {
    id: 'model',
    header: 'Model',
    wideOnly: true,
    cell: ({ model }) => (
      <Text inherit className="breakable">
        {model ?? '–'}
      </Text>
    ),
  },
  {
    id: 'when',
    header: 'Charged',
    wideOnly: true,
    cell: ({ created_at }) => <When at={created_at} absolute />,
  },
  {
    id: 'amount',
    header: 'USDC',
    align: 'right',
    cell: ({ amount_usdc }) => <Amount of={{ usdc: amount_usdc }} column />,
  },
];

interface CollectedTableProps {
  receipts: readonly CollectedReceipt[];
  paging: Paging;
  refreshing: boolean;
}

export function CollectedTable({ receipts, paging, refreshing }: CollectedTableProps) {
  return (
    <DataTable
      what="Your receipts in this settlement"
      columns={COLUMNS}
      rows={receipts}
      rowId={({ kind, id }) => `${kind} ${id}`}
      paging={paging}
      refreshing={refreshing}
      empty={
        <Text size="sm" c="dimmed">
          None: it asks again for what was owed before.
        </Text>
      }
    />
  );
}

function ReceiptLink({ receipt }: { receipt: CollectedReceipt }) {
  const request = requestOf(receipt);
  const words = (
    <>
      {kindWords(receipt.kind)}{' '}
      <Text component="span" inherit ff="monospace" size="xs" className="breakable">
        {receipt.id}
      </Text>
    </>
  );
  if (request === undefined) return <span>{words}</span>;
  return (
    <Anchor component={Link} to={`/usage/${encodeURIComponent(request)}`} inherit>
      {words}
    </Anchor>
  );
}
