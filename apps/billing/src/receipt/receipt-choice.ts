/** A receipt that no batch collects yet. */
export interface WaitingReceipt {
  readonly id: string;
  readonly kind: 'usage' | 'refund' | 'credit';
  /** What it adds to what the wallet owes, base units; negative for refunds and credits. */
  readonly amount: bigint;
  /** Into how many parts it was split before. */
  readonly parts: number;
}

/** What of a wallet waits; base units. The lists hold as many as one due may collect, and one more of the charges, not all there are. */
export interface Waiting {
  /**
   * What all that wait add up to, or less where the ledger says that less is owed; and the charges among them alone. Where nothing was given
   * back, those listed.
   */
  readonly owed: bigint;
  readonly charged: bigint;
  /** Charges, the oldest first; then those of nothing. */
  readonly charges: readonly WaitingReceipt[];
  readonly free: readonly WaitingReceipt[];
  /** Refunds and credits, the largest first. */
  readonly given: readonly WaitingReceipt[];
}

/** A part of a refund or credit, to be collected as a receipt of its own; the rest goes on waiting. */
export interface ReceiptPart {
  readonly of: WaitingReceipt;
  /** From 1. */
  readonly number: number;
  /** Negative, and less than the whole. */
  readonly amount: bigint;
}

/** What a due collects. It adds up to more than 0, and never to more than all that waits. */
export interface Choice {
  readonly receipts: readonly WaitingReceipt[];
  readonly part?: ReceiptPart;
  readonly sum: bigint;
}

/** A due cannot be chosen among fewer: charges, what is given back and what cost nothing each have their places. */
export const LEAST_RECEIPTS = 4;

/**
 * Chooses at most `most` of what waits, so that the wallet is never asked for what was given back to it:
 * 0 < sum <= owed. What is collected is to what is owed as the charges taken are to all charges; refunds and credits make
 * up the difference, the largest first, and the one that is too large for all charges of the due gives a part of itself.
 * See docs/decisions/0010.
 * @returns undefined when there is no such choice: nothing is owed, or less than any charge is worth
 */
export function chooseReceipts(waiting: Waiting, most: number): Choice | undefined {
  if (waiting.owed <= 0n) return undefined;
  const places = Math.ceil(most / LEAST_RECEIPTS);
  const given = waiting.given.slice(0, places);
  const free = Math.min(waiting.free.length, places);
  const charges = waiting.charges.slice(0, most - given.length - free);
  const charge = sumOf(charges);
  if (charge === 0n) return undefined;
  const { taken, left, passed } = giveBack(given, charge, charge - share(waiting, charge));
  const rest = waiting.free.slice(0, Math.max(0, most - charges.length - taken.length - 1));
  const back = charge + sumOf(taken);
  if (left > 0n && passed) {
    const part = { of: passed, number: passed.parts + 1, amount: -left };
    return { receipts: [...charges, ...taken, ...rest], part, sum: back - left };
  }
  if (back <= waiting.owed) return { receipts: [...charges, ...taken, ...rest], sum: back };
  return holdBack(charges, taken, waiting.owed);
}

/** Of what is owed, as much as these charges are of all charges; 1 at least. */
function share({ owed, charged }: Waiting, charge: bigint): bigint {
  const exact = (owed * charge) / charged;
  return exact > 0n ? exact : 1n;
}

/** Takes whole ones until they make up `wanted`, never as much as the charges. */
function giveBack(given: readonly WaitingReceipt[], charge: bigint, wanted: bigint) {
  const taken: WaitingReceipt[] = [];
  let passed: WaitingReceipt | undefined;
  let left = wanted;
  let net = charge;
  for (const receipt of given) {
    if (left <= 0n) break;
    if (net + receipt.amount > 0n) {
      taken.push(receipt);
      left += receipt.amount;
      net += receipt.amount;
    } else passed ??= receipt;
  }
  return { taken, left, passed };
}

/** More refunds wait than fit: only those charges are collected that what is owed and those that do fit cover. */
function holdBack(
  charges: readonly WaitingReceipt[],
  taken: readonly WaitingReceipt[],
  owed: bigint,
): Choice | undefined {
  const given = -sumOf(taken);
  for (const [back, room] of [
    [taken, owed + given],
    [[], owed],
  ] as const) {
    const receipts = [...upTo(charges, room), ...back];
    const sum = sumOf(receipts);
    if (sum > 0n) return { receipts, sum };
  }
  return undefined;
}

function upTo(charges: readonly WaitingReceipt[], room: bigint): WaitingReceipt[] {
  let left = room;
  return charges.filter(({ amount }) => {
    if (amount > left) return false;
    left -= amount;
    return true;
  });
}

/** Base units. */
export function sumOf(receipts: readonly WaitingReceipt[]): bigint {
  return receipts.reduce((total, { amount }) => total + amount, 0n);
}
