import { Anchor, Code, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Link } from 'react-router';
import { Amount } from '../../design/amount';
import type { Column } from '../../design/data-table';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { KeyMenu } from './key-menu';
import type { KeyAct } from './key-menu';
import { budgetShare, resetWords } from './key-view';
import type { WalletKey } from './keys';

type OnAct = (key: WalletKey, act: KeyAct, opener: HTMLElement | null) => void;

export function keyColumns(onAct: OnAct): Column<WalletKey>[] {
  return [
    { id: 'name', header: 'Key', cell: (key) => <KeyName walletKey={key} /> },
    { id: 'spent', header: 'Spent', width: '34%', cell: (key) => <KeySpending walletKey={key} /> },
    { id: 'used', header: 'Last used', wideOnly: true, cell: (key) => <LastUse walletKey={key} /> },
    { id: 'created', header: 'Created', wideOnly: true, cell: (key) => <When at={key.created_at} /> },
    {
      id: 'actions',
      header: <VisuallyHidden>Actions</VisuallyHidden>,
      align: 'right',
      width: 48,
      cell: (key) =>
        key.state === 'revoked' ? null : (
          <KeyMenu walletKey={key} onAct={(act, opener) => onAct(key, act, opener)} />
        ),
    },
  ];
}

function KeyName({ walletKey }: { walletKey: WalletKey }) {
  const { name, state, purpose, last_four, previous_expires_at } = walletKey;
  return (
    // Most words of a name fit into that, also on a phone where the amounts are large.
    <Stack gap={2} miw={100}>
      <Group gap="xs">
        <Text size="sm" fw={500} className="breakable">
          {name}
        </Text>
        {state === 'disabled' && <StatusBadge tone="warning">Disabled</StatusBadge>}
        {state === 'revoked' && <StatusBadge tone="quiet">Revoked</StatusBadge>}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {purpose === 'playground' ? (
          'Pays for the playground'
        ) : (
          <Code fz="xs" aria-label={`ends in ${last_four}`}>
            …{last_four}
          </Code>
        )}
        {state !== 'revoked' && previous_expires_at !== null && (
          <>
            {' '}
            old value works until <When at={previous_expires_at} absolute />
          </>
        )}
      </Text>
    </Stack>
  );
}

/** The unit may stand on a line of its own: a large amount would take the name's room with it. */
function KeySpending({ walletKey }: { walletKey: WalletKey }) {
  const { budget, spent_usdc, name } = walletKey;
  const share = budgetShare(walletKey);
  if (budget === null || share === undefined) {
    return (
      <Text size="sm" component="div">
        <Amount of={{ usdc: spent_usdc }} bare /> USDC
      </Text>
    );
  }
  const color = share.isUsedUp ? 'red' : share.spent >= 80 ? 'yellow' : undefined;
  return (
    <Stack gap={4} maw={320}>
      <Text size="sm" component="div">
        <Amount of={{ usdc: spent_usdc }} bare /> of <Amount of={{ usdc: budget.cap_usdc }} bare /> USDC{' '}
        {resetWords(budget.reset)}
      </Text>
      <Progress.Root size="sm">
        <Progress.Section value={share.spent} color={color} aria-label={`Spent of the budget of ${name}`} />
        <Progress.Section value={share.held} color="gray" aria-label={`Held of the budget of ${name}`} />
      </Progress.Root>
      {walletKey.state !== 'revoked' && (share.isUsedUp || budget.resets_at !== null) && (
        <Text size="xs" c="dimmed" component="div">
          {share.isUsedUp && 'Used up. '}
          {budget.resets_at !== null && (
            <>
              Starts anew <When at={budget.resets_at} />
            </>
          )}
        </Text>
      )}
    </Stack>
  );
}

function LastUse({ walletKey: { id, last_used_at } }: { walletKey: WalletKey }) {
  if (last_used_at === null) {
    return (
      <Text component="span" inherit c="dimmed">
        Never
      </Text>
    );
  }
  return (
    <Anchor component={Link} to={`/usage?key=${encodeURIComponent(id)}`} inherit>
      <When at={last_used_at} />
    </Anchor>
  );
}
