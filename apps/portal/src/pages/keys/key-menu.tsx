import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useRef } from 'react';
import { notify } from '../../design/notify';
import { useLeaveFocus } from '../../design/focus';
import { useKeyActions } from './keys';
import type { WalletKey } from './keys';

export type KeyAct = 'edit' | 'rotate' | 'revoke';

interface KeyMenuProps {
  walletKey: WalletKey;
  /** @param opener what the focus returns to */
  onAct: (act: KeyAct, opener: HTMLElement | null) => void;
}

/** What can be done with a key that is not revoked. */
export function KeyMenu({ walletKey, onAct }: KeyMenuProps) {
  const { change } = useKeyActions();
  const button = useRef<HTMLButtonElement>(null);
  useLeaveFocus(button);
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
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={`Actions for ${walletKey.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onAct('edit', button.current)}>
          Edit
        </Menu.Item>
        {walletKey.purpose === 'api' && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAct('rotate', button.current)}>
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
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} />}
          onClick={() => onAct('revoke', button.current)}
        >
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
