import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useConfig } from '../api/config';
import type { PortalConfig } from '../api/config';
import { codeNow } from '../api/late-code';
import { shorten } from '../design/address';
import { useSessionState } from '../session/session-context';
import { ChooseWallet } from './choose-wallet';
import { ConnectedWallet } from './connected-wallet';
import { deferred } from './deferred';
import type { Deferred } from './deferred';
import { WalletDiscovery } from './discovery';
import type { WalletOffer } from './discovery';
import { WalletContext } from './use-wallet';
import { WalletError } from './wallet-error';

const discovery = new WalletDiscovery(window);

/** Which wallet is to sign, while its owner chooses. */
interface Choice extends Deferred<ConnectedWallet> {
  /** The account that it has to be on; undefined for any. */
  wanted: string | undefined;
}

export function WalletProvider({ children }: { children: ReactNode }) {
  const config = useConfig();
  const { session } = useSessionState();
  const found = useSyncExternalStore(discovery.subscribe, discovery.found);
  const offers = useMemo(() => [...found, ...developmentOffers(config)], [found, config]);
  const [wallet, setWallet] = useState<ConnectedWallet | null>(null);
  const [lastId, setLastId] = useLocalStorage<string | null>({ key: 'svc-wallet', defaultValue: null });
  const choice = useRef<Choice | null>(null);
  const [choosing, setChoosing] = useState(false);
  useAccountChanges(wallet, setWallet);

  const connect = useCallback(
    (offer: WalletOffer) => ConnectedWallet.open(offer, config.chain),
    [config.chain],
  );
  const adopt = useCallback(
    (connected: ConnectedWallet) => {
      setWallet(connected);
      setLastId(connected.offer.id);
      // Its owner may have chosen another account in it since it was asked, which nobody listened to.
      void ConnectedWallet.reopen(connected.offer, config.chain)
        .then((now) => {
          if (now && now.account !== connected.account)
            setWallet((wallet) => (wallet === connected ? now : wallet));
        })
        .catch(() => undefined);
    },
    [config.chain, setLastId],
  );

  const requireWallet = useCallback(async () => {
    const wanted = session?.wallet;
    if (wallet !== null && fits(wallet, wanted)) return wallet;
    // Its owner can choose another account in it; a development wallet has but one.
    if (wallet?.offer.isDevelopment === false) throw otherAccount(wallet.account, wanted);
    const offer =
      offers.find(({ id }) => id === developmentId(wanted)) ?? offers.find(({ id }) => id === lastId);
    const again = offer && (await ConnectedWallet.reopen(offer, config.chain));
    if (again && fits(again, wanted)) {
      setWallet(again);
      return again;
    }
    choice.current = { ...deferred<ConnectedWallet>(), wanted };
    setChoosing(true);
    return choice.current.promise;
  }, [wallet, offers, lastId, config.chain, session]);

  const state = useMemo(
    () => ({ offers, wallet, connect, adopt, requireWallet }),
    [offers, wallet, connect, adopt, requireWallet],
  );
  return (
    <WalletContext value={state}>
      {children}
      <ChooseWallet
        opened={choosing}
        onClose={() => {
          setChoosing(false);
          choice.current?.reject(new WalletError('No wallet was chosen, so nothing was signed.', 'rejected'));
        }}
        take={(chosen) => {
          const wanted = choice.current?.wanted;
          // Not adopted: it would stand in the way of the one that fits.
          if (!fits(chosen, wanted)) throw otherAccount(chosen.account, wanted);
          adopt(chosen);
          setChoosing(false);
          choice.current?.resolve(chosen);
        }}
      />
    </WalletContext>
  );
}

function fits({ account }: ConnectedWallet, wanted: string | undefined): boolean {
  return wanted === undefined || account === wanted;
}

/** The owner may choose another account, or disconnect, in the wallet itself. */
function useAccountChanges(
  wallet: ConnectedWallet | null,
  set: (wallet: ConnectedWallet | null) => void,
): void {
  useEffect(() => {
    if (wallet === null) return undefined;
    const onAccounts = (accounts: unknown) => {
      const [account] = Array.isArray(accounts) ? (accounts as unknown[]) : [];
      set(typeof account === 'string' ? wallet.withAccount(account) : null);
    };
    wallet.provider.on?.('accountsChanged', onAccounts);
    return () => {
      wallet.provider.removeListener?.('accountsChanged', onAccounts);
    };
  }, [wallet, set]);
}

function developmentOffers({ development_wallets, chain }: PortalConfig): WalletOffer[] {
  return development_wallets.map((development) => ({
    id: developmentId(development.address),
    name: `Development wallet: ${development.label}`,
    isDevelopment: true,
    open: async () => {
      const { openDevelopmentWallet } = await codeNow(() => import('./development-wallet'));
      return openDevelopmentWallet(development, chain);
    },
  }));
}

function developmentId(address = ''): string {
  return `development:${address.toLowerCase()}`;
}

function otherAccount(account: string, wanted = ''): WalletError {
  return new WalletError(
    `The wallet is on account ${shorten(account)}, but you are signed in with ${shorten(wanted)}. Switch the account in the wallet, ` +
      'or sign out and in again with this one.',
    'account',
  );
}
