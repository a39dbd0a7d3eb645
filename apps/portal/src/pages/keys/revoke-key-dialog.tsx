import { List, Stack, Text } from '@mantine/core';
import { forgetFreshKey } from '../../api/fresh-key';
import { Amount } from '../../design/amount';
import { ConfirmAction } from '../../design/confirm-action';
import { toBaseUnits } from '../../design/money';
import { notify } from '../../design/notify';
import { When } from '../../design/when';
import { useKeyActions } from './keys';
import type { WalletKey } from './keys';

interface RevokeKeyDialogProps {
  walletKey: WalletKey;
  onClose: () => void;
}

/** Says what stops working, and wants the key's name. */
export function RevokeKeyDialog({ walletKey, onClose }: RevokeKeyDialogProps) {
  const { revoke } = useKeyActions();
  return (
    <ConfirmAction
      opened
      onClose={onClose}
      title="Revoke this key for good?"
      confirmLabel="Revoke key"
      danger
      typeToConfirm={walletKey.name}
      onConfirm={async () => {
        await revoke(walletKey.id);
        forgetFreshKey(walletKey.id);
        notify.success('The key is revoked.');
      }}
    >
      <Stack gap="xs">
        <Text size="sm">
          Whatever uses it is refused from then on.
          {walletKey.purpose === 'api' && ' To replace a key without an interruption, rotate it instead.'} To
          stop it for a while, disable it.
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>{lastUse(walletKey)}</List.Item>
          {toBaseUnits(walletKey.held_usdc) > 0n && (
            <List.Item>
              Requests under way hold <Amount of={{ usdc: walletKey.held_usdc }} />. They finish and are
              charged.
            </List.Item>
          )}
          {walletKey.previous_expires_at !== null && (
            <List.Item>Its old value, which still works, stops as well.</List.Item>
          )}
          {walletKey.purpose === 'playground' && (
            <List.Item>The playground stops until you turn it on again.</List.Item>
          )}
          <List.Item>Its usage and receipts stay.</List.Item>
        </List>
      </Stack>
    </ConfirmAction>
  );
}

function lastUse({ last_used_at }: WalletKey) {
  if (last_used_at === null) return <>It was never used.</>;
  return (
    <>
      It was last used <When at={last_used_at} />.
    </>
  );
}
