import type { KeyView } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import type { KeyCard } from '@svc/openai-api';

/** Billing's view of a key as its holder sees it. */
export function keyCard(view: KeyView): KeyCard {
  const { budgetCap, budgetReset, resetsAt } = view;
  return {
    id: view.keyId,
    object: 'key',
    name: view.name,
    last_four: view.lastFour,
    wallet: view.wallet,
    created_at: view.createdAt,
    last_used_at: view.lastUsedAt,
    previous_expires_at: view.previousExpiresAt,
    budget:
      budgetCap === null ? null : { cap_usdc: usdcOf(budgetCap), reset: budgetReset, resets_at: resetsAt },
    spent_usdc: usdcOf(view.spent),
    held_usdc: usdcOf(view.held),
    spendable_usdc: usdcOf(view.spendable),
  };
}
