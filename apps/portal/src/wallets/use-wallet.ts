import { createContext, useContext } from 'react';
import type { ConnectedWallet } from './connected-wallet';
import type { WalletOffer } from './discovery';

interface WalletState {
  /** What can be connected; wallets may announce themselves late. */
  offers: readonly WalletOffer[];
  /** Null until one was connected in this tab. */
  wallet: ConnectedWallet | null;
  /** Connects, asking the owner. @throws WalletError */
  connect: (offer: WalletOffer) => Promise<ConnectedWallet>;
  /**
   * The wallet of the account that is signed in: connects it again after a reload, asks which one if need be.
   * @throws WalletError when it was not chosen, or speaks for another account than the session's
   */
  requireWallet: () => Promise<ConnectedWallet>;
}

export const WalletContext = createContext<WalletState | undefined>(undefined);

export function useWallet(): WalletState {
  const state = useContext(WalletContext);
  if (state === undefined) throw new Error('no wallet provider');
  return state;
}
