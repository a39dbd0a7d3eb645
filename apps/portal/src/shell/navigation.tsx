import { NavLink, Stack } from '@mantine/core';
import { NavLink as RouterLink, useLocation } from 'react-router';
import { useSessionState } from '../session/session-context';
import { pagesFor } from './pages';
import type { PageEntry } from './pages';

/** The menu. */
export function Navigation() {
  const { session } = useSessionState();
  const { pathname } = useLocation();
  const entries = pagesFor({ isSignedIn: session !== undefined, isOperator: session?.is_operator === true });
  return (
    <Stack gap={2} component="ul" m={0} p={0} className="menu">
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
