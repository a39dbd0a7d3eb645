import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { BrowserRouter } from 'react-router';
import { createQueryClient } from './api/query-client';
import { Announcer } from './design/announcer';
import { cssVariables, theme } from './design/theme';
import { LiveProvider } from './live/live';
import { SessionProvider } from './session/session-context';
import { Layout } from './shell/layout';
import { styleNonce } from './shell/nonce';
import { Start } from './shell/start';
import { WalletProvider } from './wallets/wallet-provider';

const colorScheme = localStorageColorSchemeManager({ key: 'svc-color-scheme' });

export function App() {
  const [queries] = useState(createQueryClient);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <BrowserRouter basename="/portal">
          <Notifications position="bottom-right" limit={4} />
          <Announcer />
          <Start>
            <SessionProvider>
              <LiveProvider>
                <WalletProvider>
                  <Layout />
                </WalletProvider>
              </LiveProvider>
            </SessionProvider>
          </Start>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
