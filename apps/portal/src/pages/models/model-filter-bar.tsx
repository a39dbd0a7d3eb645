import { Chip, Group, Paper, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { readTypedUsdc, showUsdc } from '../../design/money';
import { CAPABILITIES, CAPABILITY_WORDS, SORTS } from './model-filters';
import type { ModelFilters, Sort } from './model-filters';

const CONTEXTS = [
  { value: '0', label: 'Any context' },
  { value: '8192', label: '8k tokens or more' },
  { value: '32768', label: '32k tokens or more' },
  { value: '131072', label: '128k tokens or more' },
  { value: '1000000', label: '1M tokens or more' },
];
const WORKLOADS = [
  { value: 'all', label: 'Any workload' },
  { value: 'chat', label: 'Chat' },
  { value: 'embedding', label: 'Embeddings' },
];

interface ModelFilterBarProps {
  filters: ModelFilters;
  change: (next: Partial<ModelFilters>) => void;
}

/** What one looks for, and in which order it is shown. */
export function ModelFilterBar({ filters, change }: ModelFilterBarProps) {
  return (
    <Paper withBorder p="sm" mb="md" component="search">
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <TextInput
            label="Search"
            placeholder="Name or maker"
            leftSection={<IconSearch size={16} />}
            type="search"
            value={filters.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
            flex="1 1 180px"
          />
          <Select
            label="Workload"
            data={WORKLOADS}
            value={filters.workload}
            onChange={(workload) => change({ workload: workload as ModelFilters['workload'] })}
            allowDeselect={false}
            flex="1 1 130px"
          />
          <Select
            label="Context"
            data={CONTEXTS}
            value={String(filters.minContext)}
            onChange={(context) => change({ minContext: Number(context) })}
            allowDeselect={false}
            flex="1 1 150px"
          />
          <MaxPrice value={filters.maxPrice} change={(maxPrice) => change({ maxPrice })} />
          <Select
            label="Order"
            data={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
            value={filters.sort}
            onChange={(sort) => change({ sort: sort as Sort })}
            allowDeselect={false}
            flex="1 1 150px"
          />
        </Group>
        <Group gap="xs" justify="space-between">
          <Chip.Group multiple value={filters.capabilities} onChange={(can) => change({ capabilities: can })}>
            <Group gap="xs" role="group" aria-label="Capabilities">
              {CAPABILITIES.map((capability) => (
                <Chip key={capability} value={capability} size="xs">
                  {CAPABILITY_WORDS[capability]}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <Switch
            label="Live now"
            size="sm"
            checked={filters.liveOnly}
            onChange={(event) => change({ liveOnly: event.currentTarget.checked })}
          />
        </Group>
      </Stack>
    </Paper>
  );
}

/** Typed text that is no amount yet stays as it is typed. */
function MaxPrice({ value, change }: { value: bigint | null; change: (price: bigint | null) => void }) {
  const [typed, setTyped] = useState(() => priceText(value));
  const amount = typed.trim() === '' ? null : readTypedUsdc(typed);
  // The filters were cleared elsewhere, or are those of another address.
  const shown = amount === undefined || amount === value ? typed : priceText(value);
  return (
    <TextInput
      label="Highest price"
      placeholder="USDC per M tokens"
      inputMode="decimal"
      value={shown}
      error={amount === undefined && 'An amount such as 0.50'}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const next = text.trim() === '' ? null : readTypedUsdc(text);
        if (next !== undefined) change(next);
      }}
      flex="1 1 150px"
    />
  );
}

function priceText(price: bigint | null): string {
  return price === null ? '' : showUsdc({ base: price });
}
