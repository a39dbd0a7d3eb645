import type { SettlementView } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import type { SettlementStandingReply } from './settlement-standing.dto';

export function settlementCard(view: SettlementView): SettlementStandingReply {
  return {
    state: view.state,
    detail: view.detail,
    pauses: view.pauses.map(({ reason, actor, pausedAt, differences }) => ({
      reason,
      actor,
      paused_at: pausedAt,
      differences: differences.map(({ rule, subject, expected, actual }) => ({
        rule,
        subject,
        expected,
        actual,
      })),
    })),
    wallets: view.wallets,
    suspended_wallets: view.suspendedWallets,
    failed_wallets: view.failedWallets,
    unsettled_usdc: usdcOf(view.unsettled),
    open_batches: view.openBatches,
    reconciled_at: view.reconciledAt,
    fully_reconciled_at: view.fullyReconciledAt,
  };
}
