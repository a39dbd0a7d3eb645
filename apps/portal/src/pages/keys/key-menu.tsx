import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { notify } from '../../design/notify';
import { useKeyActions } from './keys';
import type { WalletKey } from './keys';

export type KeyAct = 'edit' | 'rotate' | 'revoke';

interface KeyMenuProps {
  walletKey: WalletKey;
  onAct: (act: KeyAct) => void;
}

/** What can be done with a key that is not revoked. */
export function KeyMenu({ walletKey, onAct }: KeyMenuProps) {
  const { change } = useKeyActions();
  const isDisabled = walletKey.state === 'disabled';
  const toggle = async () => {
    try {
      await change(walletKey.id, { disabled: !isDisabled });
      notify.success(isDisabled ? 'The key works again.' : 'The key is disabled.');
    } catch (error) {
      notify.failed(isDisabled ? 'The key was not enabled' : 'The key was not disabled', error);
    }
  };
  return (
    <Menu position="bottom-end" width={190} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${walletKey.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onAct('edit')}>
          Edit
        </Menu.Item>
        {walletKey.purpose === 'api' && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAct('rotate')}>
            Rotate
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={isDisabled ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => void toggle()}
        >
          {isDisabled ? 'Enable' : 'Disable'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onAct('revoke')}>
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
