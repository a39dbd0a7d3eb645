import { Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { wordsOf } from '../api/error-words';
import { FormProblem } from '../design/form-end';
import type { ConnectedWallet } from './connected-wallet';
import type { WalletOffer } from './discovery';
import { useWallet } from './use-wallet';
import { useWalletAnswer } from './use-wallet-answer';
import { WalletButtons } from './wallet-buttons';

/** It is asked for from within dialogs, which lie at 200. */
const ABOVE_DIALOGS = 400;

interface ChooseWalletProps {
  opened: boolean;
  onClose: () => void;
  /** @throws WalletError where it is on another account than is to sign: then another one may be chosen */
  take: (wallet: ConnectedWallet) => void;
}

/** Asks which wallet is to sign, when the one of the sign-in is not connected in this tab. */
export function ChooseWallet({ opened, onClose, take }: ChooseWalletProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Connect your wallet" centered zIndex={ABOVE_DIALOGS}>
      {opened && <ChooseBody take={take} />}
    </Modal>
  );
}

function ChooseBody({ take }: Pick<ChooseWalletProps, 'take'>) {
  const { connect } = useWallet();
  const { until } = useWalletAnswer();
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();
  const choose = async (offer: WalletOffer) => {
    setBusy(offer.id);
    setError(undefined);
    try {
      take(await until(connect(offer)));
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
