import type { SpendableReading } from '@svc/contracts-evm';

/** A wallet's means as one block shows them, base units. */
export interface ChainMeans {
  readonly balance: bigint;
  /** What it lets the settlement contract spend. */
  readonly allowance: bigint;
  /** All the settlement contract ever pulled from it. */
  readonly settled: bigint;
}

/** What the chain shows of a wallet at the head and at the safe depth. */
export interface WalletLimits {
  readonly wallet: string;
  readonly head: ChainMeans;
  /** Undefined when the safe depth could not be read: then what it last showed stays. */
  readonly safe: ChainMeans | undefined;
}

/**
 * Puts the two views of the same wallets together.
 * @param head readings at the head
 * @param safe readings of the same wallets at the safe depth; undefined when that block could not be read
 */
export function limitsOf(
  head: readonly SpendableReading[],
  safe: readonly SpendableReading[] | undefined,
): WalletLimits[] {
  return head.map((reading, index) => {
    const deep = safe?.[index];
    return { wallet: reading.wallet, head: meansOf(reading), safe: deep && meansOf(deep) };
  });
}

function meansOf({ balance, allowance, pulled }: SpendableReading): ChainMeans {
  return { balance, allowance, settled: pulled };
}
