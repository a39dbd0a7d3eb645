import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch, IconWallet } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { StatusBadge } from '../../design/status-badge';
import { useCursor } from '../../design/use-cursor';
import { When } from '../../design/when';
import { reinstateWallet, suspendWallet } from './acts';
import { useAct } from './act-context';
import { listForm, useListSearch } from './list-search';

type Wallet = components['schemas']['WalletSummaryReply'];

const FORM = listForm<'all'>('show', ['all'], 80);
/** What the server takes; anything else finds nothing. */
const BEGINNING = /^0x[0-9a-fA-F]{0,40}$/;

export function WalletsTab() {
  const ask = useAct();
  const { text, settled, change } = useListSearch(FORM);
  const search = settled === '' || settled.startsWith('0x') ? settled : `0x${settled}`;
  const { cursor, pagingTo } = useCursor(search);
  const isAddress = search === '' || BEGINNING.test(search);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...queryKeys.operators, 'wallets', search, cursor],
    queryFn: ({ signal }) => {
      const query = { ...(search !== '' && { search }), cursor };
      return dataOf(api.GET('/portal/api/operators/wallets', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    enabled: isAddress,
  });
  return (
    <Stack>
      <TextInput
        label="Find a wallet"
        placeholder="0x…"
        description="By how its address begins. Wallets that may not spend come first."
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        maxLength={FORM.longest}
        error={isAddress ? undefined : 'An address holds the digits 0–9 and a–f only.'}
        maw={460}
      />
      <DataTable
        what="Wallets"
        columns={columnsWith(ask)}
        rows={isAddress ? data?.wallets : []}
        rowId={({ wallet }) => wallet}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={pagingTo(data?.next)}
        empty={
          <EmptyState title="No such wallet" icon={<IconWallet size={22} />}>
            {search === ''
              ? 'Wallets appear here when they first sign in or get a key.'
              : 'No known wallet begins so.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}

function columnsWith(ask: ReturnType<typeof useAct>): Column<Wallet>[] {
  return [
    { id: 'wallet', header: 'Wallet', cell: ({ wallet }) => <Address value={wallet} /> },
    { id: 'standing', header: 'Standing', cell: (wallet) => <Standing {...wallet} /> },
    {
      ...{ id: 'limit', header: 'May spend up to', align: 'right' as const, wideOnly: true },
      cell: ({ limit_usdc: usdc }) => <Amount of={{ usdc }} column />,
    },
    {
      ...{ id: 'charged', header: 'Charged', align: 'right' as const, wideOnly: true },
      cell: ({ charged_usdc: usdc }) => <Amount of={{ usdc }} column />,
    },
    {
      ...{ id: 'unsettled', header: 'Unsettled', align: 'right' as const, wideOnly: true },
      cell: ({ unsettled_usdc: usdc }) => <Amount of={{ usdc }} column />,
    },
    {
      ...{ id: 'since', header: 'Known since', wideOnly: true },
      cell: ({ registered_at: at }) => <When at={at} />,
    },
    {
      ...{ id: 'acts', header: 'Act', align: 'right' as const },
      cell: ({ wallet, suspension }) => (
        <Group justify="flex-end" wrap="nowrap">
          {suspension !== null && suspension.suspended_at !== null ? (
            <Button
              size="xs"
              variant="default"
              onClick={() => ask(reinstateWallet(wallet, suspension.pull_failed_at !== null))}
              aria-label={`Reinstate ${wallet}`}
            >
              Reinstate
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              onClick={() => ask(suspendWallet(wallet))}
              aria-label={`Suspend ${wallet}`}
            >
              Suspend
            </Button>
          )}
        </Group>
      ),
    },
  ];
}

function Standing({ suspension }: Wallet) {
  if (suspension === null) return <StatusBadge tone="good">May spend</StatusBadge>;
  return (
    <Stack gap={2} maw={260}>
      {suspension.suspended_at !== null && (
        <>
          <StatusBadge tone="bad">Suspended</StatusBadge>
          <Text size="xs" c="dimmed" className="breakable">
            <When at={suspension.suspended_at} inherit />: {suspension.reason}
          </Text>
        </>
      )}
      {suspension.pull_failed_at !== null && (
        <>
          <StatusBadge tone="warning">Could not be collected from</StatusBadge>
          <Text size="xs" c="dimmed">
            since <When at={suspension.pull_failed_at} inherit />; ends when it has paid
          </Text>
        </>
      )}
    </Stack>
  );
}
