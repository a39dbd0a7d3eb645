import { Alert, Button, Text } from '@mantine/core';
import { IconSwitchHorizontal } from '@tabler/icons-react';
import { shorten } from '../design/address';
import { notify } from '../design/notify';
import { useSessionState } from '../session/session-context';
import { useWallet } from './use-wallet';

/** Says that the wallet was switched to another account than the one that is signed in. */
export function WalletNotice() {
  const { wallet } = useWallet();
  const { session, signOut } = useSessionState();
  if (wallet === null || session === undefined || wallet.account === session.wallet) return null;
  const leave = () => void signOut().catch((error: unknown) => notify.failed('Not signed out', error));
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconSwitchHorizontal />}
      mb="md"
      title="Your wallet is on another account"
      role="status"
    >
      <Text size="sm" mb="xs">
        You are signed in with {shorten(session.wallet)} and the wallet is on {shorten(wallet.account)}.
        Switch back in the wallet to sign here, or sign out and in again with the other one.
      </Text>
      <Button size="xs" variant="default" onClick={leave}>
        Sign out
      </Button>
    </Alert>
  );
}
