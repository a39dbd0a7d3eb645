import { Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { wordsOf } from '../api/error-words';
import { FormProblem } from '../design/form-end';
import type { ConnectedWallet } from './connected-wallet';
import type { WalletOffer } from './discovery';
import { useWallet } from './use-wallet';
import { WalletButtons } from './wallet-buttons';

/** It is asked for from within dialogs, which lie at 200. */
const ABOVE_DIALOGS = 400;

interface ChooseWalletProps {
  opened: boolean;
  onClose: () => void;
  onConnected: (wallet: ConnectedWallet) => void;
}

/** Asks which wallet is to sign, when the one of the sign-in is not connected in this tab. */
export function ChooseWallet({ opened, onClose, onConnected }: ChooseWalletProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Connect your wallet" centered zIndex={ABOVE_DIALOGS}>
      {opened && <ChooseBody onConnected={onConnected} />}
    </Modal>
  );
}

function ChooseBody({ onConnected }: Pick<ChooseWalletProps, 'onConnected'>) {
  const { connect } = useWallet();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();
  const choose = async (offer: WalletOffer) => {
    setBusy(offer.id);
    setError(undefined);
    try {
      onConnected(await connect(offer));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <Stack>
      <Text size="sm">This needs a signature. Choose the wallet that you signed in with.</Text>
      <WalletButtons onChoose={(offer) => void choose(offer)} busy={busy} />
      {error !== undefined && <FormProblem>{wordsOf(error)}</FormProblem>}
    </Stack>
  );
}
