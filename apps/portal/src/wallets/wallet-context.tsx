import { createContext, useContext } from 'react';
import type { ReactNode } from 'react';
import type { ConnectedWallet } from './connected-wallet';

export interface WalletState {
  /** Null until one was connected in this tab. */
  wallet: ConnectedWallet | null;
}

const WalletContext = createContext<WalletState>({ wallet: null });

export function useWallet(): WalletState {
  return useContext(WalletContext);
}

export function WalletProvider({ children }: { children: ReactNode }) {
  return <WalletContext value={{ wallet: null }}>{children}</WalletContext>;
}
