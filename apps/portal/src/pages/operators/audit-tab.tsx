import { Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { useCursor } from '../../design/use-cursor';
import { When } from '../../design/when';
import { ActorName } from './actor-name';
import { describeAction } from './audit-words';
import { listForm, useListSearch } from './list-search';

type Entry = components['schemas']['AuditEntryReply'];
type Trail = 'catalogue' | 'billing';

const FORM = listForm<Trail>('of', ['catalogue', 'billing'], 120);
const TRAILS: { value: Trail; label: string }[] = [
  { value: 'catalogue', label: 'Providers and offers' },
  { value: 'billing', label: 'Wallets and settlement' },
];

const COLUMNS: Column<Entry>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <When at={at} />, width: 130, wideOnly: true },
  { id: 'act', header: 'What was done', cell: (entry) => <WholeEntry {...entry} />, narrowOnly: true },
  { id: 'actor', header: 'Who', cell: ({ actor }) => <ActorName actor={actor} />, wideOnly: true },
  { id: 'action', header: 'Did', cell: ({ action }) => describeAction(action), wideOnly: true },
  { id: 'subject', header: 'To', cell: ({ subject }) => <ActorName actor={subject} />, wideOnly: true },
  {
    ...{ id: 'reason', header: 'Why', wideOnly: true },
    cell: ({ reason }) => (
      <Text size="sm" className="breakable" maw={320}>
        {reason ?? '–'}
      </Text>
    ),
  },
];

/** All of it in one cell, where there is no room for five. */
function WholeEntry({ at, actor, action, subject, reason }: Entry) {
  return (
    <Stack gap={2}>
      <Text size="sm" component="div">
        <ActorName actor={actor} /> {describeAction(action)}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <When at={at} />, <ActorName actor={subject} />
      </Text>
      {reason !== null && (
        <Text size="xs" className="breakable">
          {reason}
        </Text>
      )}
    </Stack>
  );
}

export function AuditTab() {
  const { text, part: of, settled: subject, change } = useListSearch(FORM);
  const { cursor, pagingTo } = useCursor(`${of} ${subject}`);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...queryKeys.operators, 'audit', of, subject, cursor],
    queryFn: ({ signal }) => {
      const query = { of, ...(subject !== '' && { subject }), cursor };
      return dataOf(api.GET('/portal/api/operators/audit', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Stack>
      <Group align="flex-end" gap="md">
        <SegmentedControl
          aria-label="Which trail"
          data={TRAILS}
          value={of}
          onChange={(value) => change({ part: value === 'billing' ? 'billing' : 'catalogue' })}
        />
        <TextInput
          label="What was done to"
          placeholder="A wallet or an id, whole"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          maxLength={FORM.longest}
          w={{ base: '100%', sm: 360 }}
        />
      </Group>
      <DataTable
        what="Audit trail"
        columns={COLUMNS}
        rows={data?.entries}
        rowId={({ id }) => String(id)}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={pagingTo(data?.next)}
        empty={
          <EmptyState title="Nothing was done" icon={<IconHistory size={22} />}>
            {subject === '' ? 'Acts appear here, the newest first.' : 'Nothing was done to it.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}
