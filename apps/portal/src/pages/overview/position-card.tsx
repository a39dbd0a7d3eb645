import { Alert, Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useConfig } from '../../api/config';
import { LoadFailed } from '../../design/load-failed';
import { showUsdc } from '../../design/money';
import { useStandingError } from '../../design/use-standing-error';
import type { Position } from '../../live/use-position';
import type { PositionQuery } from '../../live/use-position';
import { ApprovalDialog } from './approval-dialog';
import { FaucetButton } from './faucet-button';
import { approvalWords, limitedBy, partsOf, shortageOf } from './position';
import { PositionBar } from './position-bar';

/** What the wallet may spend, and why that much; without buttons where the first steps have them. */
export function PositionCard({ query, hasActions }: { query: PositionQuery; hasActions: boolean }) {
  const { data: position, refetch } = query;
  const error = useStandingError(query);
  if (position === undefined) {
    if (error) return <LoadFailed what="Your balance" error={error} retry={() => void refetch()} />;
    return <Skeleton height={260} aria-label="Loading your balance" />;
  }
  return <PositionBody position={position} hasActions={hasActions} />;
}

function PositionBody({ position, hasActions }: { position: Position; hasActions: boolean }) {
  const { chain } = useConfig();
  const [approving, setApproving] = useState(false);
  const parts = partsOf(position);
  const spendable = showUsdc({ usdc: position.spendable_usdc });
  const isApproved = position.approved_usdc !== null && position.approved_usdc !== '0.000000';
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="position-title">
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Stack gap={0} maw="100%">
          <Title order={2} size="sm" fw={500} c="dimmed" id="position-title">
            Spendable now
          </Title>
          <Text
            component="div"
            fz={spendable.length > LONG ? LARGEST_THAT_FITS : LARGEST}
            fw={600}
            lh={1.25}
            className="figures breakable"
            data-testid="spendable"
          >
            {spendable}{' '}
            <Text span fz="md" c="dimmed" fw={500}>
              USDC
            </Text>
          </Text>
          <WalletLine position={position} />
        </Stack>
        {hasActions && (
          <Group gap="xs">
            {chain.faucet && <FaucetButton />}
            <Button onClick={() => setApproving(true)} variant={isApproved ? 'default' : 'filled'}>
              {isApproved ? 'Change approval' : 'Approve USDC'}
            </Button>
          </Group>
        )}
      </Group>
      <Shortage position={position} />
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing here yet. Requests are paid from your own wallet: put USDC into it, then approve how much
          the marketplace may collect.
        </Text>
      ) : (
        <PositionBar parts={parts} />
      )}
      <LimitNote position={position} />
      <ApprovalDialog opened={approving} onClose={() => setApproving(false)} position={position} />
    </Card>
  );
}

/** Characters that a phone has room for at the usual size; and for all that there may be. */
const LONG = 13;
const LARGEST = 32;
const LARGEST_THAT_FITS = 'clamp(18px, 6.4vw, 32px)';

function WalletLine({ position }: { position: Position }) {
  const { balance_usdc } = position;
  if (balance_usdc === null) {
    return (
      <Text size="sm" c="dimmed">
        The chain is being asked what your wallet has.
      </Text>
    );
  }
  return (
    <Text size="sm" c="dimmed" className="figures">
      {showUsdc({ usdc: balance_usdc })} in your wallet · {approvalWords(position)} approved
    </Text>
  );
}

function Shortage({ position }: { position: Position }) {
  const missing = shortageOf(position);
  if (missing === 0n) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      mb="md"
      title={`${showUsdc({ base: missing })} USDC is missing`}
      role="alert"
    >
      You owe more than can be collected from your wallet now. Add USDC or raise the approval by at least this
      much; until then no request is taken.
    </Alert>
  );
}

const LIMIT_WORDS = {
  balance: 'You approved more than your wallet holds, so the balance is the limit. Add USDC to spend more.',
  approval: 'The approval is the limit: raise it to spend more of what your wallet holds.',
  cap: 'How much you may owe before it is collected is the limit now, not your balance or approval.',
};

function LimitNote({ position }: { position: Position }) {
  const limit = limitedBy(position);
  const hasBoth = position.approved_usdc !== '0.000000' && position.balance_usdc !== '0.000000';
  if (limit === undefined || !hasBoth) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      {LIMIT_WORDS[limit]}
    </Text>
  );
}
