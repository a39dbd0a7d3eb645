import { Anchor, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconBuildingStore, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { Address } from '../../design/address-text';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { StatusBadge } from '../../design/status-badge';
import { useCursor } from '../../design/use-cursor';
import { When } from '../../design/when';
import { reinstateProvider, suspendProvider } from './acts';
import { ActButton } from './act-button';
import { listForm, useListSearch } from './list-search';

type Provider = components['schemas']['ProviderSummaryReply'];

const FORM = listForm<'all' | 'suspended'>('only', ['all', 'suspended'], 80);

export function ProvidersTab() {
  const { text, part, settled: search, change } = useListSearch(FORM);
  const only = part === 'suspended' ? part : undefined;
  const { cursor, pagingTo } = useCursor(`${part} ${search}`);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...queryKeys.operators, 'providers', search, only, cursor],
    queryFn: ({ signal }) => {
      const query = { ...(search !== '' && { search }), only, cursor };
      return dataOf(api.GET('/portal/api/operators/providers', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Stack>
      <Group align="flex-end" gap="md">
        <TextInput
          label="Find a provider"
          description="By how its name or its wallet begins"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          maxLength={FORM.longest}
          w={{ base: '100%', sm: 360 }}
        />
        <Switch
          label="Suspended only"
          checked={only !== undefined}
          onChange={(event) => change({ part: event.currentTarget.checked ? 'suspended' : 'all' })}
          mb={6}
        />
      </Group>
      <DataTable
        what="Providers"
        columns={COLUMNS}
        rows={data?.providers}
        rowId={({ provider }) => provider}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={pagingTo(data?.next)}
        empty={
          <EmptyState title="No such provider" icon={<IconBuildingStore size={22} />}>
            {search === '' && only === undefined
              ? 'Providers appear here when they register.'
              : 'Nobody fits what you look for.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}

const COLUMNS: Column<Provider>[] = [
  {
    ...{ id: 'name', header: 'Provider' },
    cell: ({ name, provider }) => (
      <Stack gap={0}>
        <Anchor
          component={Link}
          to={provider}
          size="sm"
          fw={500}
          py={2}
          display="block"
          className="breakable"
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" component="div">
          <Address value={provider} />
        </Text>
      </Stack>
    ),
  },
  { id: 'contact', header: 'Contact', cell: ({ contact }) => contact || '–', wideOnly: true },
  { id: 'standing', header: 'Standing', cell: (provider) => <Standing {...provider} /> },
  {
    ...{ id: 'since', header: 'Since', wideOnly: true },
    cell: ({ registered_at: at }) => <When at={at} />,
  },
  { id: 'offers', header: 'Offers', cell: ({ offers }) => offers, align: 'right', wideOnly: true },
  {
    ...{ id: 'acts', header: 'Act', align: 'right' },
    cell: (provider) => (
      <Group justify="flex-end" gap="xs">
        {provider.suspension === null ? (
          <ActButton act={suspendProvider(provider)} label={`Suspend ${provider.name}`}>
            Suspend
          </ActButton>
        ) : (
          <ActButton act={reinstateProvider(provider)} label={`Reinstate ${provider.name}`}>
            Reinstate
          </ActButton>
        )}
      </Group>
    ),
  },
];

function Standing({ suspension }: Provider) {
  if (suspension === null) return <StatusBadge tone="good">May sell</StatusBadge>;
  return (
    <Stack gap={2} maw={260}>
      <StatusBadge tone="bad">Suspended</StatusBadge>
      <Text size="xs" c="dimmed" className="breakable">
        <When at={suspension.at} inherit />: {suspension.reason}
      </Text>
    </Stack>
  );
}
