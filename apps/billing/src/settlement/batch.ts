import { duesRoot, merkleRoot } from '@svc/contracts-evm';
import type { Due } from '@svc/contracts-evm';
import type { ReceiptPart } from '../receipt/receipt-choice';
import type { Collection, ReceiptLeaf } from '../receipt/receipt.store';

/** A wallet that a batch should ask, base units. */
export interface Candidate {
  readonly wallet: string;
  /** Number and cumulative of its last due; 0 before the first. */
  readonly seq: number;
  readonly cumulative: bigint;
  /** What its receipts that no batch collects yet add up to; 0 when it is only asked again. */
  readonly fresh: bigint;
  /** All it owes in its life, as the ledger has it: below `cumulative` when something was credited since. */
  readonly owed: bigint;
  /** What it can pay now. */
  readonly means: bigint;
  /** How many dues in a row were not paid in full. */
  readonly tries: number;
}

/** One payer's line, with the receipts it collects. */
export interface PlannedDue extends Candidate {
  readonly next: bigint;
  /** What the line names on chain: `next`, or less when not all of that is owed any more. */
  readonly asked: bigint;
  readonly payerRoot: string;
  readonly receipts: readonly ReceiptLeaf[];
  /** One of the receipts, that its commit splits off another. */
  readonly part?: ReceiptPart;
}

/** A batch that is not stored yet. */
export interface PlannedBatch {
  readonly batchId: string;
  readonly root: string;
  readonly dues: readonly PlannedDue[];
  readonly receipts: number;
  /** What the receipts add up to. */
  readonly amount: bigint;
  /** Whether somebody was left out who could have been asked for more: the next batch need not wait. */
  readonly more: boolean;
}

/** The payer root of a due that collects nothing new. */
export const NO_RECEIPTS = `0x${'0'.repeat(64)}`;

/**
 * A line from a wallet's receipts in the order of their tree: they add up exactly to what its cumulative rises by.
 * @returns undefined when there is nothing to ask for
 */
export function dueOf(candidate: Candidate, collection: Collection | undefined): PlannedDue | undefined {
  const { leaves = [], part } = collection ?? {};
  const sum = leaves.reduce((total, { amount }) => total + amount, 0n);
  if (sum > 0n) {
    const payerRoot = merkleRoot(leaves.map(({ leaf }) => leaf));
    const next = candidate.cumulative + sum;
    return { ...candidate, next, asked: next, payerRoot, receipts: leaves, ...(part ? { part } : {}) };
  }
  // Nothing new, and all that it was asked for is paid.
  if (candidate.tries === 0) return undefined;
  const { cumulative: next, owed } = candidate;
  return { ...candidate, next, asked: owed < next ? owed : next, payerRoot: NO_RECEIPTS, receipts: [] };
}

/** A batch of these lines, in this order. @throws RangeError without any */
export function batchOf(batchId: string, dues: readonly PlannedDue[], more = false): PlannedBatch {
  return {
    batchId,
    root: duesRoot(dues.map(onChain)),
    dues,
    receipts: dues.reduce((total, { receipts }) => total + receipts.length, 0),
    amount: dues.reduce((total, { next, cumulative }) => total + next - cumulative, 0n),
    more,
  };
}

/** A line as the contract takes it. */
export function onChain({
  wallet,
  asked,
  payerRoot,
}: Pick<PlannedDue, 'wallet' | 'asked' | 'payerRoot'>): Due {
  return { payer: wallet, cumulative: asked, root: payerRoot };
}
