import { Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface StatProps {
  label: string;
  /** Undefined while it loads. */
  value: ReactNode;
  hint?: ReactNode;
}

/** One figure with its name. */
export function Stat({ label, value, hint }: StatProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={24} mt={6} width="60%" />
      ) : (
        <Text component="div" fz="xl" fw={600} className="figures breakable">
          {value}
        </Text>
      )}
      {hint !== undefined && (
        <Text component="div" size="xs" c="dimmed" mt={2}>
          {hint}
        </Text>
      )}
    </Paper>
  );
}
