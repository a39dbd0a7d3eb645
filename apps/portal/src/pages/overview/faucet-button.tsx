import { Button, Popover, Stack } from '@mantine/core';
import { IconDroplet } from '@tabler/icons-react';
import { useState } from 'react';
import { codeNow } from '../../api/late-code';
import { StopWaiting } from '../../design/form-end';
import { useSession } from '../../session/session-context';
import { IDLE } from '../../wallets/use-transaction';
import { TransactionStatus } from './transaction-status';
import { useTokenTransaction } from './use-token-transaction';

/** What one press gives: 100 USDC. The contract's own cap is far above. */
const GIFT = 100_000_000n;

/** Asks the test token for some of it. */
export function FaucetButton({ variant = 'default', onDone }: { variant?: string; onDone?: () => void }) {
  const { wallet } = useSession();
  const { step, isBusy, run, reset } = useTokenTransaction(useState(IDLE));
  const ask = async () => {
    const done = await run(async () => {
      const { faucetCall } = await codeNow(() => import('./token-calls'));
      return faucetCall(wallet, GIFT);
    });
    if (done) onDone?.();
  };
  return (
    <Popover
      opened={step.kind !== 'idle'}
      onDismiss={isBusy ? undefined : reset}
      position="bottom-end"
      withArrow
      trapFocus={false}
      width={300}
    >
      <Popover.Target>
        <Button
          variant={variant}
          leftSection={<IconDroplet size={16} aria-hidden />}
          onClick={() => void ask()}
          loading={isBusy}
        >
          Get 100 test USDC
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" align="flex-start">
          <TransactionStatus step={step} done="100 test USDC is in your wallet." />
          {step.kind === 'asking' && <StopWaiting stop={step.stop} />}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
