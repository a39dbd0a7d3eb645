import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import './facts.css';

/** Names and values, one below the other. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <Stack component="dl" gap={6} m={0}>
      {children}
    </Stack>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap" align="baseline">
      <Text component="dt" size="sm" c="dimmed" miw={0}>
        {name}
      </Text>
      <Text component="dd" m={0} size="sm" ta="right" className="fact-value figures" miw={0}>
        {children}
      </Text>
    </Group>
  );
}
