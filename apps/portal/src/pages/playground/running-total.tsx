import { Text } from '@mantine/core';
import { Amount } from '../../design/amount';
import type { ChatState } from './chat';
import { costOf } from './conversation';

/** What the conversation has cost so far, with what is not shown of it any more. */
export function RunningTotal({ turns, givenUp }: Pick<ChatState, 'turns' | 'givenUp'>) {
  const { base, replies, unknown } = costOf([...givenUp, ...turns]);
  const replaced = costOf(givenUp).replies;
  if (replies + unknown === 0) return <span />;
  return (
    <Text size="xs" c="dimmed" data-testid="running-total">
      This conversation: <Amount of={{ base }} /> for {replies} {replies === 1 ? 'reply' : 'replies'}
      {replaced > 0 && `, ${replaced} of them replaced`}
      {unknown > 0 && `, and what was written of ${unknown} that you stopped`}
    </Text>
  );
}
