import { getAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';

interface SignInMessage {
  /** The page's, such as `https://example.com`. */
  origin: string;
  account: string;
  chainId: number;
  nonce: string;
  statement: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** The text that a wallet signs to sign in (EIP-4361). */
export function signInMessage({ origin, account, expiresAt, issuedAt, ...rest }: SignInMessage): string {
  return createSiweMessage({
    ...rest,
    address: getAddress(account),
    domain: new URL(origin).host,
    uri: `${origin}/portal`,
    version: '1',
    issuedAt,
    expirationTime: expiresAt,
  });
}
