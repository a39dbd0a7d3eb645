import type { WalletMeans } from '@svc/contracts-evm';

type Means = Omit<WalletMeans, 'wallet'>;

/** A wallet's means at the head and at the safe depth. Its limit at either is the smaller of balance and allowance. */
export interface WalletLimits {
  readonly wallet: string;
  readonly head: Means;
  /** Undefined when the safe depth could not be read: then what it last showed stays. */
  readonly safe: Means | undefined;
}

/**
 * Puts the two views of the same wallets together.
 * @param head means at the head
 * @param safe those of the same wallets at the safe depth; undefined when that block could not be read
 */
export function limitsOf(
  head: readonly WalletMeans[],
  safe: readonly WalletMeans[] | undefined,
): WalletLimits[] {
  return head.map((means, index) => ({ wallet: means.wallet, head: means, safe: safe?.[index] }));
}
