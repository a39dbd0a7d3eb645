import type { KeyView } from '@svc/contracts';
import type { KeyRow } from './key.store';

/** A key as its owner sees it. */
export function keyView(row: KeyRow): KeyView {
  return {
    keyId: row.key_id,
    wallet: row.wallet,
    name: row.name,
    lastFour: row.last_four,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    state: row.revoked ? 'revoked' : row.disabled ? 'disabled' : 'active',
    previousExpiresAt: row.previous_expires_at?.toISOString() ?? null,
    budgetCap: row.cap === null ? null : String(row.cap),
    budgetReset: row.reset,
    resetsAt: row.resets_at?.toISOString() ?? null,
    spent: String(row.spent),
    held: String(row.held),
    spendable: String(row.spendable < 0n ? 0n : row.spendable),
  };
}
