import { formatUsdc } from '@svc/money';
import { readTypedUsdc, toBaseUnits } from '../../design/money';
import type { BudgetReset, KeyChange, WalletKey } from './keys';

export type KeyFilter = 'working' | 'revoked' | 'all';

/** A revoked key never works again; a disabled one may. */
export function keysFor(filter: KeyFilter, keys: readonly WalletKey[]): WalletKey[] {
  if (filter === 'all') return [...keys];
  return keys.filter(({ state }) => (state === 'revoked') === (filter === 'revoked'));
}

interface BudgetShare {
  /** Of the cap, per cent with one decimal, 0 to 100. */
  spent: number;
  held: number;
  isUsedUp: boolean;
}

/** How much of its budget a key has used; undefined without one. */
export function budgetShare({ budget, spent_usdc, held_usdc }: WalletKey): BudgetShare | undefined {
  if (budget === null) return undefined;
  const cap = toBaseUnits(budget.cap_usdc);
  const [spent, held] = [toBaseUnits(spent_usdc), toBaseUnits(held_usdc)];
  const share = (part: bigint) => (cap === 0n ? 100 : Math.min(Number((part * 1000n) / cap) / 10, 100));
  const spentShare = share(spent);
  return {
    spent: spentShare,
    held: Math.min(share(held), 100 - spentShare),
    isUsedUp: spent + held >= cap,
  };
}

const RESET_WORDS: Record<BudgetReset, string> = {
  never: 'in all',
  daily: 'a day',
  weekly: 'a week',
  monthly: 'a month',
};

/** `a month`, after an amount. */
export function resetWords(reset: 'daily' | 'weekly' | 'monthly' | null): string {
  return RESET_WORDS[reset ?? 'never'];
}

/** The fields of a budget as they are typed. */
export interface BudgetText {
  cap: string;
  reset: BudgetReset;
}

export function budgetText({ budget }: Pick<WalletKey, 'budget'>): BudgetText {
  if (budget === null) return { cap: '', reset: 'never' };
  // As people write it: no more decimals than it has.
  const cap = budget.cap_usdc.replace(/\.?0+$/, '');
  return { cap, reset: budget.reset ?? 'never' };
}

interface Budget {
  budget_usdc: string;
  budget_reset: BudgetReset;
}

type ReadBudget = { problem: string } | { budget: Budget | undefined };

/** An empty cap is no budget. */
export function readBudget({ cap, reset }: BudgetText): ReadBudget {
  if (cap.trim() === '') return { budget: undefined };
  const amount = readTypedUsdc(cap);
  if (amount === undefined || amount === 0n) {
    return { problem: 'Write an amount above 0 with at most six decimals, such as 25 or 0.50.' };
  }
  return { budget: { budget_usdc: formatUsdc(amount), budget_reset: reset } };
}

/**
 * What an edit changes of the key as it was when the edit began. The rest is not sent: what stands there may have been changed by another
 * tab or person since, and is not to be put back.
 */
export function keyChange(key: WalletKey, edited: { name: string; budget: Budget | undefined }): KeyChange {
  const name = edited.name.trim();
  return { ...(name !== key.name && { name }), ...budgetChange(key, edited.budget) };
}

function budgetChange({ budget: before }: WalletKey, budget: Budget | undefined): KeyChange {
  if (before === null) return { ...budget };
  if (budget === undefined) return { remove_budget: true };
  const { budget_usdc, budget_reset } = budget;
  return {
    ...(budget_usdc !== before.cap_usdc && { budget_usdc }),
    ...(budget_reset !== (before.reset ?? 'never') && { budget_reset }),
  };
}

/** What is wrong with a name, before the gateway says so. */
export function nameProblem(name: string): string | undefined {
  const { length } = [...name.trim()];
  if (length === 0) return 'Give the key a name, so that you know it later.';
  return length > 80 ? 'Use at most 80 characters.' : undefined;
}
