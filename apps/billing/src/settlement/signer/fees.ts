/** What a transaction pays for a unit of gas at most, and of that to whoever mines it; wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Servers take another transaction for one of the same nonce when both fees are at least 10 % higher; most ask no more. */
const BUMP_PERCENT = 125n;

/**
 * Fees for a new transaction: room for the base fee to double, which takes six full blocks.
 * @returns undefined when the base fee alone is above the cap
 */
export function feesFor(baseFee: bigint, priorityFee: bigint, cap: bigint): Fees | undefined {
  const wanted = 2n * baseFee + priorityFee;
  const maxFeePerGas = wanted < cap ? wanted : cap;
  if (maxFeePerGas <= baseFee) return undefined;
  return { maxFeePerGas, maxPriorityFeePerGas: priorityFee < maxFeePerGas ? priorityFee : maxFeePerGas };
}

/**
 * Fees that replace `previous`: a quarter higher, or what is usual by now if that is more.
 * @returns undefined when that would be above the cap
 */
export function bumpedFees(previous: Fees, current: Fees | undefined, cap: bigint): Fees | undefined {
  const raised = (value: bigint) => (value * BUMP_PERCENT + 99n) / 100n;
  const most = (one: bigint, other: bigint | undefined) => (other !== undefined && other > one ? other : one);
  const maxFeePerGas = most(raised(previous.maxFeePerGas), current?.maxFeePerGas);
  const maxPriorityFeePerGas = most(raised(previous.maxPriorityFeePerGas), current?.maxPriorityFeePerGas);
  if (maxFeePerGas > cap) return undefined;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas < maxFeePerGas ? maxPriorityFeePerGas : maxFeePerGas,
  };
}
