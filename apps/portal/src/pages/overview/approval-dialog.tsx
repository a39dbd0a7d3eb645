import { Alert, Anchor, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import { useConfig } from '../../api/config';
import { codeNow } from '../../api/late-code';
import { Address } from '../../design/address-text';
import { Dialog } from '../../design/dialog';
import { Form } from '../../design/form';
import { readTypedUsdc, showUsdc, toBaseUnits } from '../../design/money';
import type { Position } from '../../live/use-position';
import { useKeptState } from '../../session/use-kept-state';
import { IDLE } from '../../wallets/use-transaction';
import type { TransactionState } from '../../wallets/use-transaction';
import { approvalWords } from './position';
import { TransactionStatus } from './transaction-status';
import { useTokenTransaction } from './use-token-transaction';

interface ApprovalDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Once it is gone from the screen. */
  onClosed?: () => void;
  position: Position;
}

const SUGGESTED = ['10', '50', '100', '500'];
const SUGGESTED_FIRST = '50';

/**
 * Sets how much of the wallet's USDC the settlement contract may collect. Closed or left while a transaction is under way, it shows the
 * same one when it is opened again: nothing is sent twice.
 */
export function ApprovalDialog({ opened, onClose, onClosed, position }: ApprovalDialogProps) {
  const transaction = useTokenTransaction(useKeptState('approval', IDLE));
  const [typed, setTyped] = useKeptState('approval typed', SUGGESTED_FIRST);
  const beginAfresh = () => {
    transaction.reset();
    setTyped(SUGGESTED_FIRST);
  };
  const forget = () => {
    if (!transaction.isBusy) beginAfresh();
    onClosed?.();
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={forget}
      title="How much may the marketplace collect?"
    >
      {opened && (
        <ApprovalBody
          onClose={onClose}
          position={position}
          transaction={transaction}
          typed={typed}
          setTyped={setTyped}
          beginAfresh={beginAfresh}
        />
      )}
    </Dialog>
  );
}

interface ApprovalBodyProps extends Pick<ApprovalDialogProps, 'onClose' | 'position'> {
  transaction: TransactionState;
  typed: string;
  setTyped: (typed: string) => void;
  beginAfresh: () => void;
}

function ApprovalBody(props: ApprovalBodyProps) {
  const { onClose, position, transaction, typed, setTyped, beginAfresh } = props;
  const { chain } = useConfig();
  const { step, isBusy, run } = transaction;
  const isDone = step.kind === 'done';
  const endedUnseen = useRef(isDone);
  // The figures tell of one that ended while this was closed; it is opened for another one.
  useLayoutEffect(() => {
    if (endedUnseen.current) beginAfresh();
    endedUnseen.current = false;
  }, [beginAfresh]);
  const stop = step.kind === 'asking' ? step.stop : undefined;
  const amount = readTypedUsdc(typed);
  const isRevoking = amount === 0n;
  const approve = (value: bigint) =>
    run(async () => {
      const { approveCall } = await codeNow(() => import('./token-calls'));
      return approveCall(chain.settlement, value);
    });
  const isApproved = position.approved_usdc !== null && position.approved_usdc !== '0.000000';
  return (
    <Form
      onSubmit={() => {
        // What is shown when it is done has been sent: Enter does not send it again.
        if (amount !== undefined && !isBusy && !isDone) void approve(amount);
      }}
    >
      <Stack>
        <Text size="sm">
          An approval is a ceiling, not a payment. The settlement contract collects what your requests have
          cost, at most this much in all, and you can change it or take it back at any time.
        </Text>
        <TextInput
          label="Approval in USDC"
          description={isApproved ? `Now ${approvalWords(position)}. A new one replaces it.` : undefined}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={
            amount === undefined ? 'Type an amount such as 50 or 12.5, with at most six decimals.' : undefined
          }
          disabled={isBusy || isDone}
          data-autofocus
        />
        <SegmentedControl
          aria-label="Suggested amounts in USDC"
          fullWidth
          data={SUGGESTED}
          value={SUGGESTED.includes(typed) ? typed : ''}
          onChange={setTyped}
          disabled={isBusy || isDone}
        />
        <RevokeWarning isRevoking={isRevoking} position={position} />
        <Text size="xs" c="dimmed">
          Goes to the settlement contract <Address value={chain.settlement} /> as a transaction of your
          wallet, which shows the network fee before you confirm
          {chain.is_local ? ' (on this local chain it costs nothing of worth)' : ''}. Nobody else sends it for
          you, so a signed permit would save nothing.
        </Text>
        <TransactionStatus step={step} done="Approved." />
        {isDone ? (
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        ) : (
          <Group justify="space-between">
            {isApproved && !isRevoking ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                c="red"
                onClick={() => setTyped('0')}
                disabled={isBusy}
              >
                Take it back
              </Anchor>
            ) : (
              <span />
            )}
            <Group gap="xs">
              <Button variant="default" onClick={stop ?? onClose}>
                {stop !== undefined ? 'Stop waiting' : isBusy ? 'Close' : 'Cancel'}
              </Button>
              <Button
                type="submit"
                loading={isBusy}
                disabled={amount === undefined}
                color={isRevoking ? 'red' : undefined}
              >
                {isRevoking
                  ? 'Take the approval back'
                  : `Approve${amount === undefined ? '' : ` ${showUsdc({ base: amount })} USDC`}`}
              </Button>
            </Group>
          </Group>
        )}
      </Stack>
    </Form>
  );
}

function RevokeWarning({ isRevoking, position }: { isRevoking: boolean; position: Position }) {
  if (!isRevoking) return null;
  const owed = toBaseUnits(position.unsettled_usdc);
  return (
    <Alert color="orange" variant="light" role="alert">
      Your keys stop working at once.
      {owed > 0n &&
        ` ${showUsdc({ base: owed })} USDC for past requests stays owed and is collected when you approve again.`}
    </Alert>
  );
}
