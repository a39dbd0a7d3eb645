import { Group, TextInput } from '@mantine/core';
import { readDays } from './usage-range';
import type { UsageRange } from './usage-range';

interface DayFieldsProps {
  range: { first: string; last: string };
  change: (range: UsageRange) => void;
}

/** The first and the last day, UTC, in the browser's own date fields. */
export function DayFields({ range, change }: DayFieldsProps) {
  const choose = (first: string, last: string) => {
    const days = readDays(first, last);
    if (days) change(days);
  };
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        type="date"
        size="xs"
        label="First day (UTC)"
        value={range.first}
        onChange={(event) => choose(event.currentTarget.value, range.last)}
      />
      <TextInput
        type="date"
        size="xs"
        label="Last day (UTC)"
        value={range.last}
        onChange={(event) => choose(range.first, event.currentTarget.value)}
      />
    </Group>
  );
}
