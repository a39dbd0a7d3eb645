import { showUsdc, toBaseUnits } from '../../design/money';
import type { Position } from '../../live/use-position';

export type PartId =
  'spendable' | 'waiting' | 'capped' | 'stopped' | 'held' | 'unsettled' | 'confirming' | 'unapproved';

/** A piece of the picture: which part of the wallet's USDC, in base units, above 0. */
export interface Part {
  id: PartId;
  amount: bigint;
  /** Its share of the whole picture, 0 to 100, for drawing alone. */
  percent: number;
}

/**
 * Cuts what is in the wallet, and what is owed of it, into parts that lie beside one another: what may be spent now, what waits for
 * the next settlement, what the cap on debts leaves out, what is held and owed, what the chain still confirms, and what was never
 * approved.
 */
export function partsOf(position: Position): Part[] {
  const limit = toBaseUnits(position.limit_usdc);
  const amounts: Record<PartId, bigint> = {
    ...partsOfAvailable(position),
    held: toBaseUnits(position.held_usdc),
    unsettled: owedOf(position),
    confirming: atLeastZero(limit - toBaseUnits(position.collectable_usdc)),
    unapproved: position.balance_usdc === null ? 0n : atLeastZero(toBaseUnits(position.balance_usdc) - limit),
  };
  const whole = Object.values(amounts).reduce((sum, amount) => sum + amount, 0n);
  return (Object.keys(amounts) as PartId[])
    .filter((id) => amounts[id] > 0n)
    .map((id) => ({ id, amount: amounts[id], percent: Number((amounts[id] * 10_000n) / whole) / 100 }));
}

/** What is free of holds and debts; in a wallet that may spend, what its cap leaves out comes back as far as debts are collected. */
function partsOfAvailable(
  position: Position,
): Record<'spendable' | 'waiting' | 'capped' | 'stopped', bigint> {
  const available = atLeastZero(toBaseUnits(position.available_usdc));
  const spendable = least(toBaseUnits(position.spendable_usdc), available);
  const rest = available - spendable;
  if (position.stopped) return { spendable, waiting: 0n, capped: 0n, stopped: rest };
  const waiting = least(rest, owedOf(position));
  return { spendable, waiting, capped: rest - waiting, stopped: 0n };
}

/** Charged and not collected yet, base units. */
function owedOf({ unsettled_usdc }: Position): bigint {
  return atLeastZero(toBaseUnits(unsettled_usdc));
}

/** How much is missing for what is owed and held already, base units; 0 when nothing is. */
export function shortageOf({ available_usdc }: Position): bigint {
  return atLeastZero(-toBaseUnits(available_usdc));
}

/** What limits spending when both are there: `balance` when more is approved than there is; `cap` when neither does. */
export function limitedBy(position: Position): 'balance' | 'approval' | 'cap' | undefined {
  const { balance_usdc, approved_usdc } = position;
  if (balance_usdc === null || approved_usdc === null) return undefined;
  if (partsOfAvailable(position).capped > 0n) return 'cap';
  const balance = toBaseUnits(balance_usdc);
  const approved = toBaseUnits(approved_usdc);
  if (balance === approved) return undefined;
  return balance < approved ? 'balance' : 'approval';
}

/** Where the ledger cuts off what a chain shows, far above all the USDC there is: an approval like that is meant to have no limit. */
const UNLIMITED = 4_000_000_000_000_000_000n;

/** How much is approved: `100.00`, or that it is all of it. */
export function approvalWords({ approved_usdc }: Position): string {
  const usdc = approved_usdc ?? '0.000000';
  return toBaseUnits(usdc) >= UNLIMITED ? 'an unlimited amount' : showUsdc({ usdc });
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
