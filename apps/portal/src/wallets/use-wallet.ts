import { createContext, useContext } from 'react';
import type { ConnectedWallet } from './connected-wallet';
import type { WalletOffer } from './discovery';

interface WalletState {
  /** What can be connected; wallets may announce themselves late. */
  offers: readonly WalletOffer[];
  /** The one that signs; null until one was adopted in this tab. */
  wallet: ConnectedWallet | null;
  /** Connects, asking the owner; changes nothing by itself. @throws WalletError */
  connect: (offer: WalletOffer) => Promise<ConnectedWallet>;
  /** Has it sign from now on, once it is known to be on the account that it is wanted for. */
  adopt: (wallet: ConnectedWallet) => void;
  /**
   * The wallet of the account that is signed in: connects it again after a reload, asks which one if need be.
   * @throws WalletError when none was chosen, or its owner has switched it to another account than the session's
   */
  requireWallet: () => Promise<ConnectedWallet>;
}

export const WalletContext = createContext<WalletState | undefined>(undefined);

export function useWallet(): WalletState {
  const state = useContext(WalletContext);
  if (state === undefined) throw new Error('no wallet provider');
  return state;
}
