import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from 'react-router';
import { useConfig } from '../api/config';
import { notify } from '../design/notify';
import { useSessionState } from '../session/session-context';
import type { Command } from './commands';
import { pagesFor } from './pages';
import { useSingleKeys } from './use-single-keys';

/** All that the palette can do. */
export function useCommands(onHelp: () => void): Command[] {
  const navigate = useNavigate();
  const { base_url } = useConfig();
  const { session, signOut } = useSessionState();
  const { setColorScheme } = useMantineColorScheme();
  const [singleKeys] = useSingleKeys();
  const who = { isSignedIn: session !== undefined, isOperator: session?.is_operator === true };
  const copy = async (what: string, value: string) => {
    await navigator.clipboard.writeText(value);
    notify.success(`${what} copied`);
  };
  const pages: Command[] = pagesFor(who).map(({ name, title, link = '/', shortcut }) => ({
    id: `page-${name}`,
    label: title,
    words: 'go to open page',
    keys: shortcut === undefined || !singleKeys ? undefined : `g ${shortcut}`,
    run: () => void navigate(link),
  }));
  const others: Command[] = [
    {
      ...{ id: 'copy-base-url', label: 'Copy the base URL', words: 'api endpoint' },
      run: () => void copy('Base URL', base_url).catch(() => notify.notCopied()),
    },
    {
      ...{ id: 'reference', label: 'API reference', words: 'docs documentation openapi' },
      run: () => void window.open('/docs', '_blank', 'noreferrer'),
    },
    {
      ...{ id: 'light', label: 'Appearance: light', words: 'theme colour' },
      run: () => setColorScheme('light'),
    },
    {
      ...{ id: 'dark', label: 'Appearance: dark', words: 'theme colour night' },
      run: () => setColorScheme('dark'),
    },
    {
      ...{ id: 'auto', label: 'Appearance: as the system', words: 'theme colour auto' },
      run: () => setColorScheme('auto'),
    },
    {
      ...{ id: 'help', label: 'Keyboard shortcuts', words: 'help', keys: singleKeys ? '?' : undefined },
      run: onHelp,
    },
  ];
  if (!who.isSignedIn) return [...pages, ...others];
  const leave = () => void signOut().catch((error: unknown) => notify.failed('Not signed out', error));
  return [...pages, ...others, { id: 'sign-out', label: 'Sign out', words: 'log out leave', run: leave }];
}
