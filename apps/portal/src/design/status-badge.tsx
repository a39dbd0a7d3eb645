import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'quiet';

const COLORS: Record<Tone, string> = {
  good: 'teal',
  bad: 'red',
  warning: 'yellow',
  busy: 'blue',
  quiet: 'gray',
};

/** A state in a word; its colour only underlines what the word says. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge
      color={COLORS[tone]}
      variant="light"
      tt="none"
      fw={500}
      radius="sm"
      className="status-badge"
      data-tone={tone}
    >
      {children}
    </Badge>
  );
}
