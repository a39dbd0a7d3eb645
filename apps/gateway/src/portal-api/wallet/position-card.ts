import type { CreditList, StatementPosition } from '@svc/contracts';
import { usdc } from '../usdc';
import type { CreditListReply, WalletPositionReply } from './position.dto';

/** Billing's position as its owner sees it. What an operator wrote when suspending is the operators' own. */
export function positionCard(position: StatementPosition): WalletPositionReply {
  const { balance, approved, suspension } = position;
  return {
    wallet: position.wallet,
    balance_usdc: balance === null ? null : usdc(balance),
    approved_usdc: approved === null ? null : usdc(approved),
    limit_usdc: usdc(position.limitHead),
    confirmed_limit_usdc: usdc(position.limitSafe),
    collectable_usdc: usdc(position.collectable),
    available_usdc: usdc(position.available),
    held_usdc: usdc(position.held),
    unsettled_usdc: usdc(position.unsettled),
    charged_usdc: usdc(position.posted),
    credited_usdc: usdc(position.credited),
    settled_usdc: usdc(position.settled),
    spendable_usdc: usdc(position.spendable),
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
      amount_usdc: usdc(amount),
      reason,
    })),
    next,
  };
}
