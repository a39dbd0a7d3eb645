import { api, dataOf } from '../api/client';
import type { PortalConfig } from '../api/config';
import { codeNow } from '../api/late-code';
import { marketNowMs } from '../api/market-clock';
import type { Session } from '../session/session-context';
import type { ConnectedWallet } from '../wallets/connected-wallet';

/** What stands in the message that the wallet shows. */
const STATEMENT = 'Sign in to svc. This proves that the wallet is yours: no transaction, no gas.';

/**
 * Signs in with Ethereum (EIP-4361): a fresh nonce, a message naming this page and chain, the wallet's signature.
 * @param until waits for the signature
 * @throws ApiError, WalletError
 */
export async function signIn(
  wallet: ConnectedWallet,
  config: PortalConfig,
  until: (signature: Promise<string>) => Promise<string>,
): Promise<Session> {
  const [{ nonce, expires_at }, message] = await Promise.all([
    dataOf(api.POST('/portal/api/session/nonce')),
    // Only who signs in needs the code for it.
    codeNow(() => import('./sign-in-message')),
  ]);
  const text = message.signInMessage({
    ...{ statement: STATEMENT, nonce, expiresAt: new Date(expires_at), issuedAt: new Date(marketNowMs()) },
    ...{ origin: window.location.origin, account: wallet.account, chainId: config.chain.id },
  });
  const signature = await until(wallet.signMessage(text));
  return dataOf(api.POST('/portal/api/session', { body: { message: text, signature } }));
}
