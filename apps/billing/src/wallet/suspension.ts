import type { WalletSuspension } from '@svc/contracts';
import { Prisma } from '@svc/persistence';

/** What may keep a wallet from spending. */
interface SuspensionRow {
  readonly suspended_at: Date | null;
  readonly suspension_reason: string | null;
  readonly pull_failed_at: Date | null;
}

/**
 * Whether wallet `w` may not spend: an operator has suspended it, or what it owes could not be collected. `billing.apply` goes by the same.
 */
export const SUSPENDED = Prisma.sql`(w.suspended_at IS NOT NULL OR w.pull_failed_at IS NOT NULL)`;

/** @returns null for a wallet that may spend */
export function suspensionOf(row: SuspensionRow): WalletSuspension | null {
  const { suspended_at: suspendedAt, suspension_reason: reason, pull_failed_at: pullFailedAt } = row;
  if (!suspendedAt && !pullFailedAt) return null;
  return {
    suspendedAt: suspendedAt?.toISOString() ?? null,
    reason,
    pullFailedAt: pullFailedAt?.toISOString() ?? null,
  };
}
