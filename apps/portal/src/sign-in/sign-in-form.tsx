import { Alert, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useConfig } from '../api/config';
import { wordsOf } from '../api/error-words';
import { announce } from '../design/announcer';
import { StopWaiting } from '../design/form-end';
import { useSessionState } from '../session/session-context';
import type { WalletOffer } from '../wallets/discovery';
import { useWallet } from '../wallets/use-wallet';
import { useWalletAnswer } from '../wallets/use-wallet-answer';
import { WalletButtons } from '../wallets/wallet-buttons';
import { WalletError } from '../wallets/wallet-error';
import { signIn } from './sign-in';

/** Chooses a wallet and signs in with it. */
export function SignInForm() {
  const config = useConfig();
  const { begin } = useSessionState();
  const { connect, adopt } = useWallet();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { stop, until } = useWalletAnswer();

  const choose = async (offer: WalletOffer) => {
    setBusy(offer.id);
    setError(undefined);
    if (!offer.isDevelopment) announce('Answer in your wallet');
    try {
      const wallet = await until(connect(offer));
      const session = await signIn(wallet, config, until);
      adopt(wallet);
      begin(session);
      announce('Signed in');
    } catch (thrown) {
      setError(thrown);
      setBusy(undefined);
    }
  };

  const declined = error instanceof WalletError && error.kind === 'rejected';
  return (
    <Stack gap="md">
      <WalletButtons onChoose={(offer) => void choose(offer)} busy={busy} />
      {busy !== undefined && !busy.startsWith('development:') && (
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            Answer in your wallet: it may ask to connect first, then to sign.
          </Text>
          <StopWaiting stop={stop} />
        </Group>
      )}
      {error !== undefined && (
        <Alert color={declined ? 'gray' : 'red'} role="alert" title={declined ? undefined : 'Not signed in'}>
          {wordsOf(error)}
        </Alert>
      )}
    </Stack>
  );
}
