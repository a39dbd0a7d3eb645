import { Button, Group, Paper, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { marketNowMs } from '../../api/market-clock';
import { DayFields } from './day-fields';
import { PRESETS, daysOf } from './usage-range';
import type { Preset } from './usage-range';
import { ADDRESS, NO_FILTERS, OUTCOMES, isFiltered } from './usage-view';
import type { OutcomeFilter, UsageView } from './usage-view';
import { useDraft } from './use-draft';

interface UsageControlsProps {
  view: UsageView;
  change: (next: Partial<UsageView>) => void;
  models: string[];
  keys: { value: string; label: string }[];
}

const RANGES = [
  ...Object.entries(PRESETS).map(([value, { label }]) => ({ value, label })),
  { value: 'days', label: 'Days' },
];

/** Which time and which requests are meant. */
export function UsageControls({ view, change, models, keys }: UsageControlsProps) {
  const { range } = view;
  const isPreset = 'preset' in range;
  return (
    <Paper withBorder p="sm" mb="md" component="search" aria-label="Usage">
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Time"
            size="xs"
            data={RANGES}
            value={isPreset ? range.preset : 'days'}
            onChange={(value) =>
              change({
                range:
                  value === 'days' ? daysOf(range, new Date(marketNowMs())) : { preset: value as Preset },
              })
            }
            className="range-control"
          />
          {!isPreset && <DayFields range={range} change={(days) => change({ range: days })} />}
        </Group>
        <Group gap="sm" align="flex-end">
          <Select
            {...FILTER}
            label="Model"
            placeholder="Any model"
            data={withChosen(
              models.map((id) => ({ value: id, label: id })),
              view.model,
            )}
            value={view.model}
            onChange={(model) => change({ model })}
          />
          <Select
            {...FILTER}
            label="Key"
            placeholder="Any key"
            data={withChosen(keys, view.key)}
            value={view.key}
            onChange={(key) => change({ key })}
          />
          <ProviderField provider={view.provider} change={(provider) => change({ provider })} />
          <Select
            {...FILTER}
            searchable={false}
            label="Outcome"
            placeholder="Any outcome"
            data={Object.entries(OUTCOMES).map(([value, label]) => ({ value, label }))}
            value={view.outcome}
            onChange={(outcome) => change({ outcome: outcome as OutcomeFilter | null })}
          />
          {isFiltered(view) && (
            <Button
              variant="subtle"
              color="gray"
              size="sm"
              leftSection={<IconFilterOff size={16} />}
              onClick={() => change(NO_FILTERS)}
            >
              Clear
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

const FILTER = {
  size: 'sm',
  clearable: true,
  searchable: true,
  flex: '1 1 160px',
  nothingFoundMessage: 'None',
} as const;

/** An address is taken when it is whole; what is not is said at the field. */
function ProviderField({
  provider,
  change,
}: {
  provider: string | null;
  change: (provider: string | null) => void;
}) {
  const [typed, setTyped] = useDraft(provider ?? '');
  const address = typed.trim().toLowerCase();
  const isFit = address === '' || ADDRESS.test(address);
  return (
    <TextInput
      label="Provider"
      placeholder="0x…"
      size="sm"
      flex="1 1 160px"
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => isFit && change(address === '' ? null : address)}
      onKeyDown={({ key }) => key === 'Enter' && isFit && change(address === '' ? null : address)}
      error={isFit ? undefined : 'An address of 40 hex digits'}
    />
  );
}

/** One that came with the address of the page and is not among what is known. */
function withChosen(known: { value: string; label: string }[], chosen: string | null) {
  const isKnown = chosen === null || known.some(({ value }) => value === chosen);
  return isKnown ? known : [...known, { value: chosen, label: chosen }];
}
