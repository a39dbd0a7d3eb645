import { NavLink, Stack } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { NavLink as RouterLink, useLocation } from 'react-router';
import { useSessionState } from '../session/session-context';
import { pagesFor } from './pages';
import type { PageEntry } from './pages';

/** The menu. */
export function Navigation() {
  const { status, session } = useSessionState();
  const { pathname } = useLocation();
  const entries = pagesFor({ isSignedIn: session !== undefined, isOperator: session?.is_operator === true });
  return (
    <Stack gap={2} component="ul" m={0} p={0} className="menu">
      {status === 'signed-out' && (
        <li>
          <NavLink
            component={RouterLink}
            to="/"
            end
            label="Sign in"
            leftSection={<IconLogin2 size={18} stroke={1.6} aria-hidden />}
            active={pathname === '/'}
            variant="light"
          />
        </li>
      )}
      {entries.map(({ name, title, link = '/', icon: Icon, load }) => (
        <li key={name}>
          <NavLink
            component={RouterLink}
            to={link}
            end={link === '/'}
            label={title}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            active={link === '/' ? pathname === '/' : pathname === link || pathname.startsWith(`${link}/`)}
            onMouseEnter={() => fetchEarly(load)}
            onFocus={() => fetchEarly(load)}
            variant="light"
          />
        </li>
      ))}
    </Stack>
  );
}

/** Only code is fetched; a failure is told when somebody goes there. */
function fetchEarly(load: PageEntry['load']): void {
  if (navigator.onLine) load().catch(() => undefined);
}
