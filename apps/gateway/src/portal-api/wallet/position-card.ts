import type { CreditList, StatementPosition } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import type { CreditListReply, WalletPositionReply } from './position.dto';

/** Billing's position as its owner sees it. What an operator wrote when suspending is the operators' own. */
export function positionCard(position: StatementPosition): WalletPositionReply {
  const { balance, approved, suspension } = position;
  return {
    wallet: position.wallet,
    balance_usdc: balance === null ? null : usdcOf(balance),
    approved_usdc: approved === null ? null : usdcOf(approved),
    limit_usdc: usdcOf(position.limitHead),
    confirmed_limit_usdc: usdcOf(position.limitSafe),
    collectable_usdc: usdcOf(position.collectable),
    available_usdc: usdcOf(position.available),
    held_usdc: usdcOf(position.held),
    unsettled_usdc: usdcOf(position.unsettled),
    charged_usdc: usdcOf(position.posted),
    credited_usdc: usdcOf(position.credited),
    settled_usdc: usdcOf(position.settled),
    spendable_usdc: usdcOf(position.spendable),
    open_requests: position.openHolds,
    stopped: suspension && {
      suspended_at: suspension.suspendedAt,
      collection_failed_at: suspension.pullFailedAt,
    },
  };
}

/** What was given to a wallet, without who gave it. */
export function creditsCard({ lines, next }: CreditList): CreditListReply {
  return {
    credits: lines.map(({ kind, id, createdAt, amount, reason }) => ({
      kind,
      id,
      created_at: createdAt,
      amount_usdc: usdcOf(amount),
      reason,
    })),
    next,
  };
}
