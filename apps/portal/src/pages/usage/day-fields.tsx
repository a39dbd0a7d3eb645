import { Group, TextInput } from '@mantine/core';
import { readDay, readDays } from './usage-range';
import type { UsageRange } from './usage-range';
import { useDraft } from './use-draft';

interface DayFieldsProps {
  range: { first: string; last: string };
  change: (range: UsageRange) => void;
}

/**
 * The first and the last day, UTC, in the browser's own date fields. Years are typed digit by digit: only days that are some are
 * taken.
 */
export function DayFields({ range, change }: DayFieldsProps) {
  const [first, setFirst] = useDraft(range.first);
  const [last, setLast] = useDraft(range.last);
  const choose = (days: UsageRange | undefined) => days && change(days);
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        type="date"
        size="xs"
        label="First day (UTC)"
        value={first}
        onChange={({ currentTarget: { value } }) => {
          setFirst(value);
          choose(readDays(value, last));
        }}
        onBlur={() => readDay(first) === undefined && setFirst(range.first)}
      />
      <TextInput
        type="date"
        size="xs"
        label="Last day (UTC)"
        value={last}
        onChange={({ currentTarget: { value } }) => {
          setLast(value);
          choose(readDays(first, value));
        }}
        onBlur={() => readDay(last) === undefined && setLast(range.last)}
      />
    </Group>
  );
}
