import { Button, Menu, VisuallyHidden } from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link } from 'react-router';
import { shorten } from '../design/address';
import { notify } from '../design/notify';
import { useSessionState } from '../session/session-context';

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

/** Who is signed in, how the page looks, and the way out. */
export function AccountMenu() {
  const { status, session, signOut } = useSessionState();
  // While nobody has said whether there is a session, none is denied.
  const without = status === 'signed-out' ? 'Not signed in' : 'Account';
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = () => signOut().catch((error: unknown) => notify.failed('Not signed out', error));
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconUserCircle size={16} aria-hidden />}>
          <VisuallyHidden>Account and appearance: </VisuallyHidden>
          <span className="account-name">{session ? shorten(session.wallet) : without}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            rightSection={colorScheme === value ? <IconCheck size={16} aria-label="chosen" /> : undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        {session !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />}>
              Account and sessions
            </Menu.Item>
            <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
              Sign out
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
