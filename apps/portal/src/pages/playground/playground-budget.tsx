import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Amount } from '../../design/amount';
import { usePlayground } from './use-playground';

const PERIODS: Record<string, string> = { daily: 'today', weekly: 'this week', monthly: 'this month' };

/** What the playground may still spend; it has a key of its own among the wallet's, with a budget. */
export function PlaygroundBudget() {
  const { data } = usePlayground();
  const { key, state } = data ?? {};
  if (!key || state !== 'on') return null;
  const period = PERIODS[key.budget?.reset ?? ''];
  return (
    <Text size="xs" c="dimmed">
      May spend <Amount of={{ usdc: key.spendable_usdc }} />
      {period !== undefined && ` more ${period}`} ·{' '}
      <Anchor component={Link} to="/keys" inherit underline="always">
        Change the budget
      </Anchor>
    </Text>
  );
}
