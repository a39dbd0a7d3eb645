import { AppShell, Box, Burger, Container, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent } from 'react';
import { useLocation } from 'react-router';
import { ExpiredSession } from '../sign-in/expired-session';
import { WalletNotice } from '../wallets/wallet-notice';
import { AccountMenu } from './account-menu';
import { CommandKeys } from './command-keys';
import type { Shown } from './command-keys';
import './layout.css';
import { Navigation } from './navigation';
import { OfflineBanner } from './offline-banner';
import { PageOutlet } from './page-outlet';
import { SearchButton } from './search-button';
import { StaleBanner } from './stale-banner';
import { useScrollPlace } from '../design/use-scroll-place';

/** The frame around every page: header, menu at the left (behind a button on a phone), and the page. */
export function Layout() {
  const [menuOpened, menu] = useDisclosure(false);
  const [shown, setShown] = useState<Shown>(null);
  const { pathname } = useLocation();
  const { close } = menu;
  const burger = useRef<HTMLButtonElement>(null);
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menuOpened) return;
    // It is for nothing else, such as a reply under way.
    event.preventDefault();
    close();
    burger.current?.focus();
  };
  useEffect(() => close(), [pathname, close]);
  useScrollPlace();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !menuOpened } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a className="skip-link" href="#page" onClick={skipToPage}>
        Skip to the page
      </a>
      <AppShell.Header className="shell-header">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              onKeyDown={closeByKey}
              opened={menuOpened}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={menuOpened ? 'Close the menu' : 'Open the menu'}
              aria-expanded={menuOpened}
            />
            <Brand />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SearchButton onClick={() => setShown('palette')} />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        className="shell-navbar"
        aria-label="Pages"
        data-opened={menuOpened}
        onKeyDown={closeByKey}
      >
        <Navigation />
      </AppShell.Navbar>
      {/* The open menu lies above it on a phone: nobody would see where the focus is. */}
      <AppShell.Main id="page" tabIndex={-1} className="shell-main" onFocus={close}>
        <OfflineBanner />
        <StaleBanner />
        <WalletNotice />
        <Container size={1180} p={0}>
          <PageOutlet />
        </Container>
      </AppShell.Main>
      <CommandKeys shown={shown} onShow={setShown} />
      <ExpiredSession />
    </AppShell>
  );
}

/** Without a step in the browser's history, which would lose what is kept with this one, such as the place in a list. */
function skipToPage(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('page')?.focus();
}

function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <Box component="img" src={`${import.meta.env.BASE_URL}icon.svg`} w={24} h={24} alt="" />
      <Text fw={600} lh={1}>
        svc
      </Text>
    </Group>
  );
}
