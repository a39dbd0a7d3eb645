import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { IconArrowDownToArc } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useConfig } from '../../../api/config';
import { wordsOf } from '../../../api/error-words';
import { codeNow } from '../../../api/late-code';
import { queryKeys } from '../../../api/query-keys';
import { Address } from '../../../design/address-text';
import { Amount } from '../../../design/amount';
import { FormProblem, StopWaiting } from '../../../design/form-end';
import { showUsdc, toBaseUnits } from '../../../design/money';
import { notify } from '../../../design/notify';
import { useKeptState } from '../../../session/use-kept-state';
import { IDLE, useTransaction } from '../../../wallets/use-transaction';
import { WalletError } from '../../../wallets/wallet-error';
import type { Earnings } from './use-earnings';

type Claim = NonNullable<Earnings['claim']>;

const WHY_LESS = 'The treasury has too little now, or as much is paid out as may be in a day.';

/** Whether something can be claimed, and the button that does it. */
export function ClaimCard({ earnings: { claim } }: { earnings: Earnings }) {
  if (claim === null) {
    return (
      <Text size="sm" c="dimmed">
        Nothing can be claimed yet. Buyers are collected from in batches; what they have paid is published as
        a payout, and then it can be claimed here.
      </Text>
    );
  }
  return <ClaimForm claim={claim} />;
}

function ClaimForm({ claim }: { claim: Claim }) {
  const { chain } = useConfig();
  const queries = useQueryClient();
  // What the market says of it follows once the block is deep enough: until then it is not claimed twice.
  const [claimed, setClaimed] = useKeptState('claimed', '');
  const state = useKeptState('claim', IDLE);
  const { step, isBusy, run } = useTransaction(state, chain.settlement, async (receipt) => {
    const { paidIn } = await import('./claim-call');
    const paid = paidIn(receipt, chain.settlement);
    if (paid === 0n) throw nothingPaid();
    const left = toBaseUnits(claim.claimable_usdc) - paid;
    if (left <= 0n) {
      setClaimed(claim.cumulative);
      notify.success('Claimed. The tokens are in your wallet.');
    } else {
      const [got, rest] = [paid, left].map((base) => showUsdc({ base }));
      notify.success(`${got} USDC are in your wallet. ${WHY_LESS} Claim the other ${rest} USDC later.`);
    }
    await queries.invalidateQueries({ queryKey: queryKeys.earnings });
  });
  const isPublished = claim.state !== 'signed';
  const isClaimed = claimed === claim.cumulative || toBaseUnits(claim.claimable_usdc) <= 0n;
  const send = () =>
    run(async () => {
      const { claimCall } = await codeNow(() => import('./claim-call'));
      if (claim.contract.toLowerCase() !== chain.settlement.toLowerCase()) throw otherContract();
      return claimCall(claim);
    });
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <Group justify="space-between">
          <Stack gap={2}>
            <Text fw={600} className="breakable">
              {isClaimed ? (
                'All that is payable is claimed'
              ) : (
                <>
                  <Amount of={{ usdc: claim.claimable_usdc }} /> can be claimed
                </>
              )}
            </Text>
            <Text size="sm" c="dimmed">
              {isPublished
                ? 'The contract sends it to your wallet; you pay the network fee. What counts as paid out follows a few blocks later.'
                : 'The payout is signed and not on the chain yet. It can be claimed in a moment.'}
            </Text>
          </Stack>
          <Group gap="xs">
            {step.kind === 'asking' && <StopWaiting stop={step.stop} />}
            <Button
              leftSection={<IconArrowDownToArc size={16} />}
              onClick={() => void send()}
              loading={isBusy}
              disabled={!isPublished || isClaimed}
            >
              Claim
            </Button>
          </Group>
        </Group>
        {'hash' in step && step.hash !== undefined && (
          <Text size="sm" component="div">
            {step.kind === 'sent' ? 'Sent, waiting for a block: ' : 'Transaction '}
            <Address value={step.hash} kind="tx" />
          </Text>
        )}
        {step.kind === 'failed' && <FormProblem>{wordsOf(step.error)}</FormProblem>}
      </Stack>
    </Card>
  );
}

function otherContract(): WalletError {
  return new WalletError(
    'The payout is of another contract than this marketplace’s. Reload the page.',
    'chain',
  );
}

function nothingPaid(): WalletError {
  return new WalletError(`Nothing was paid out. ${WHY_LESS} Claim again later.`, 'reverted');
}
