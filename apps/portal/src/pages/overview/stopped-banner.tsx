import { Alert, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { When } from '../../design/when';
import type { Position } from '../../live/use-position';

/** Says that the wallet may not spend, why, and what to do. An alert is said again whenever it changes, so nothing in it does by itself. */
export function StoppedBanner({ stopped }: { stopped: Position['stopped'] }) {
  if (stopped === null) return null;
  const isSuspended = stopped.suspended_at !== null;
  return (
    <Alert
      color="red"
      variant="light"
      mb="lg"
      icon={<IconBan />}
      role="alert"
      title={isSuspended ? 'This wallet is suspended' : 'A settlement could not be collected'}
    >
      <Text size="sm">
        {isSuspended ? (
          <>
            Suspended <When at={stopped.suspended_at} absolute />. Its keys are refused. Ask the operators to
            reinstate it.
          </>
        ) : (
          <>
            What you owe could not be collected <When at={stopped.collection_failed_at} absolute />. Put the
            USDC back or raise the approval; your keys work again once it is collected.
          </>
        )}
      </Text>
    </Alert>
  );
}
