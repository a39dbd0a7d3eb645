import { Alert, Group, Loader, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { wordsOf } from '../../api/error-words';
import { Address } from '../../design/address-text';
import type { TransactionStep } from '../../wallets/use-transaction';

/** How a transaction stands, in words; who listens is told of each step where it is taken. */
export function TransactionStatus({ step, done }: { step: TransactionStep; done: string }) {
  switch (step.kind) {
    case 'idle':
      return null;
    case 'asking':
      return (
        <Waiting>
          <Text size="sm">Confirm it in your wallet.</Text>
        </Waiting>
      );
    case 'sent':
      return (
        <Waiting>
          <Text size="sm">
            Sent, waiting for the network: <Address value={step.hash} kind="tx" />
          </Text>
        </Waiting>
      );
    case 'done':
      return (
        <Group gap="xs" wrap="nowrap">
          <IconCircleCheck size={18} color="var(--mantine-color-teal-text)" aria-hidden />
          <Text size="sm">
            {done} <Address value={step.hash} kind="tx" />
          </Text>
        </Group>
      );
    case 'failed':
      return (
        <Alert color="red" variant="light" role="alert">
          {wordsOf(step.error)}
          {/* It may be confirmed yet: whoever sends another one is to know of it. */}
          {step.hash !== undefined && (
            <>
              {' '}
              <Address value={step.hash} kind="tx" />
            </>
          )}
        </Alert>
      );
  }
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      {children}
    </Group>
  );
}
