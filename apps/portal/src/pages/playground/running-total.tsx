import { Text } from '@mantine/core';
import { Amount } from '../../design/amount';
import { costOf } from './conversation';
import type { Turn } from './conversation';

/** What the conversation has cost so far. */
export function RunningTotal({ turns }: { turns: readonly Turn[] }) {
  const { base, replies, unknown } = costOf(turns);
  if (replies + unknown === 0) return <span />;
  return (
    <Text size="xs" c="dimmed" data-testid="running-total">
      This conversation: <Amount of={{ base }} /> for {replies} {replies === 1 ? 'reply' : 'replies'}
      {unknown > 0 && `, and what was written of ${unknown} that you stopped`}
    </Text>
  );
}
