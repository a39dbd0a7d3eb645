import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { BudgetText } from './key-view';
import type { BudgetReset } from './keys';

const RESETS: { value: BudgetReset; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every Monday' },
  { value: 'monthly', label: 'Every month' },
];

interface BudgetFieldsProps {
  value: BudgetText;
  onChange: (value: BudgetText) => void;
  capError?: string;
  resetError?: string;
}

/** The most a key may spend, and when that starts anew. */
export function BudgetFields({ value, onChange, capError, resetError }: BudgetFieldsProps) {
  return (
    <Group align="flex-start" gap="sm" grow preventGrowOverflow={false} wrap="wrap">
      <TextInput
        label="Spending limit"
        description="Empty: only your wallet limits it."
        placeholder="No limit"
        inputMode="decimal"
        autoComplete="off"
        miw={150}
        rightSection={
          <Text size="xs" c="dimmed" pr="xs">
            USDC
          </Text>
        }
        rightSectionWidth={52}
        value={value.cap}
        onChange={({ currentTarget }) => onChange({ ...value, cap: currentTarget.value })}
        error={capError}
      />
      <NativeSelect
        label="Starts anew"
        description="At midnight, UTC."
        miw={150}
        data={RESETS}
        disabled={value.cap.trim() === ''}
        value={value.reset}
        onChange={({ currentTarget }) => onChange({ ...value, reset: currentTarget.value as BudgetReset })}
        error={resetError}
      />
    </Group>
  );
}
