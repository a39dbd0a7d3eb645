/** What a transaction pays for a unit of gas at most, and of that to whoever mines it; wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Servers take another transaction for one of the same nonce when both fees are at least 10 % higher; most ask no more. */
const LEAST_BUMP_PERCENT = 110n;
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
 * Fees that replace `previous`: a quarter higher, or what is usual by now if that is more; where the cap is in the way, up to
 * the cap as long as that still replaces.
 * @returns undefined when it does not
 */
export function bumpedFees(previous: Fees, current: Fees | undefined, cap: bigint): Fees | undefined {
  const raised = (value: bigint, percent: bigint) => (value * percent + 99n) / 100n;
  const { maxFeePerGas: fee, maxPriorityFeePerGas: priority } = previous;
  const maxFeePerGas = least(most(raised(fee, BUMP_PERCENT), current?.maxFeePerGas), cap);
  const wanted = most(raised(priority, BUMP_PERCENT), current?.maxPriorityFeePerGas);
  const maxPriorityFeePerGas = least(wanted, maxFeePerGas);
  const replaces =
    maxFeePerGas >= raised(fee, LEAST_BUMP_PERCENT) &&
    maxPriorityFeePerGas >= raised(priority, LEAST_BUMP_PERCENT);
  return replaces ? { maxFeePerGas, maxPriorityFeePerGas } : undefined;
}

/** Whether what is usual by now is less by enough to be worth a signature: it falls a little with many blocks. */
export function isWellBelow(current: Fees, previous: Fees): boolean {
  return current.maxFeePerGas * LEAST_BUMP_PERCENT <= previous.maxFeePerGas * 100n;
}

function most(one: bigint, other: bigint | undefined): bigint {
  return other !== undefined && other > one ? other : one;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
