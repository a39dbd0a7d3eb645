import type { SpendableReading } from '@svc/contracts-evm';

/** What the chain shows of a wallet, base units, at the head and at the safe depth. */
export interface WalletLimits {
  readonly wallet: string;
  /** min(balance, allowance). */
  readonly limitHead: bigint;
  /** All the settlement contract ever pulled. */
  readonly settledHead: bigint;
  /** Undefined when the safe depth could not be read: then what it last showed stays. */
  readonly limitSafe: bigint | undefined;
  readonly settledSafe: bigint | undefined;
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
    return {
      wallet: reading.wallet,
      limitHead: limitOf(reading),
      settledHead: reading.pulled,
      limitSafe: deep && limitOf(deep),
      settledSafe: deep?.pulled,
    };
  });
}

function limitOf({ balance, allowance }: SpendableReading): bigint {
  return balance < allowance ? balance : allowance;
}
