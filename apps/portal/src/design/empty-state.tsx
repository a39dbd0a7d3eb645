import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  /** One or two sentences: what would be here, and how it comes to be. */
  children?: ReactNode;
  icon?: ReactNode;
  /** The button that does it. */
  action?: ReactNode;
}

/** Where nothing is yet. */
export function EmptyState({ title, children, icon, action }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        {icon !== undefined && (
          <ThemeIcon size={44} radius="xl" variant="light" color="gray" aria-hidden>
            {icon}
          </ThemeIcon>
        )}
        <Title order={2} size="h3">
          {title}
        </Title>
        {children !== undefined && (
          <Text component="div" c="dimmed" size="sm">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
