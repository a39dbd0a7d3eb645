import { useQueryClient } from '@tanstack/react-query';
import { SUPPLY_TYPES, supplyDomain } from '@svc/supply-messages';
import type { SupplyMessages } from '@svc/supply-messages';
import { useRef } from 'react';
import { ApiError } from '../../api/api-error';
import { useConfig } from '../../api/config';
import { marketNowMs } from '../../api/market-clock';
import { queryKeys } from '../../api/query-keys';
import { useSession } from '../../session/session-context';
import { ownProviderKey } from '../../supply/use-provider';
import type { Provider } from '../../supply/use-provider';
import type { ConnectedWallet } from '../../wallets/connected-wallet';
import { useWallet } from '../../wallets/use-wallet';
import { useWalletAnswer } from '../../wallets/use-wallet-answer';

type ActType = Exclude<keyof SupplyMessages, 'Access'>;
/** An act to be signed: what the wallet shows, but for what is known only when it is signed. */
type Act<K extends ActType> = Omit<SupplyMessages[K], 'nonce' | 'provider'>;

/** What every act is sent with. */
interface SignedPart {
  provider: string;
  nonce: number;
  signature: string;
}

export type SignAct = <K extends ActType, T>(
  type: K,
  act: Act<K>,
  send: (signed: SignedPart) => Promise<T>,
) => Promise<T>;

interface SignedAct {
  /** @throws WalletError, ApiError */
  sign: SignAct;
  /** Waits no longer for the wallet; undefined while it is not asked. */
  stop: (() => void) | undefined;
}

/**
 * Signs a provider's act in the wallet (EIP-712) and sends it. The domain is this marketplace's as the page knows it, so a signature is
 * good nowhere else. Should the nonce be used by then, by another tab say, it is signed once more.
 */
export function useSignedAct(): SignedAct {
  const { requireWallet } = useWallet();
  const { chain } = useConfig();
  const { wallet: provider } = useSession();
  const queries = useQueryClient();
  const lastNonce = useRef(0);
  const { stop, until } = useWalletAnswer();
  const sign: SignAct = async (type, act, send) => {
    const wallet = await until(requireWallet());
    const signed = async (): Promise<SignedPart> => {
      const standing = queries.getQueryData<Provider | null>(ownProviderKey(provider));
      const nonce = Math.max(marketNowMs(), lastNonce.current + 1, (standing?.nonce ?? 0) + 1);
      lastNonce.current = nonce;
      const message = { ...act, provider, nonce };
      return { provider, nonce, signature: await until(signWith(wallet, chain, type, message)) };
    };
    const done = await send(await signed()).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 409 || error.param !== 'nonce') throw error;
      await queries.refetchQueries({ queryKey: ownProviderKey(provider) });
      return send(await signed());
    });
    await queries.invalidateQueries({ queryKey: queryKeys.provider });
    return done;
  };
  return { sign, stop };
}

function signWith(
  wallet: ConnectedWallet,
  chain: { id: number; settlement: string },
  primaryType: ActType,
  message: object,
): Promise<string> {
  const domain = { ...supplyDomain(chain.id, chain.settlement) };
  return wallet.signTypedData({
    domain,
    types: SUPPLY_TYPES[primaryType],
    primaryType,
    message: { ...message },
  });
}
