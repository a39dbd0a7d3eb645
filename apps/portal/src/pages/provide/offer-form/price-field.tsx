import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface PriceFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
  'data-field'?: string;
}

/** USDC per million tokens, as text: what is typed is read exactly. */
export function PriceField({ label, onChange, ...rest }: PriceFieldProps) {
  return (
    <TextInput
      label={`${label}, USDC per million tokens`}
      inputMode="decimal"
      autoComplete="off"
      placeholder="0.25"
      onChange={(event) => onChange(event.currentTarget.value)}
      required
      {...rest}
    />
  );
}
