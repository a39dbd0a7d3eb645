import { IsIn, IsOptional } from 'class-validator';
import { IsModelId, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import { IsPageCursor, IsPageLimit, TIME_UNITS, TimeSelection } from './statement-page';
import type { TimeUnit } from './statement-page';
import { ListUsageRequest, ShowUsageRequest, SummariseUsageRequest } from './usage.contracts';
import type { UsageDetail, UsageList, UsageSummary } from './usage.contracts';

/** Asks for what a wallet has, owes and may spend. Errors: invalid_request (404 unknown wallet). */
export class ShowPositionRequest {
  @IsWallet()
  wallet!: string;
}

/**
 * A wallet's position in one snapshot; amounts in base units. `available + held + unsettled = collectable` always:
 * what the chain could still be asked for is spent, set aside, or free. `available` and `unsettled` may be negative: an
 * approval was lowered below what is owed and held; more was collected than is owed after a refund.
 */
export interface StatementPosition {
  wallet: string;
  /** Tokens the wallet has, and may be taken by the settlement contract, at the chain's head; null before it was read. */
  balance: string | null;
  approved: string | null;
  /** min(balance, approved) at the head and at the safe depth. */
  limitHead: string;
  limitSafe: string;
  /** min(limit + settled at the head, limit + settled at the safe depth) - settled at the safe depth. */
  collectable: string;
  available: string;
  held: string;
  /** posted - credited - settled. */
  unsettled: string;
  /** All it was ever charged, and all that was ever given back or credited. */
  posted: string;
  credited: string;
  /** All that the chain ever collected from it, at the safe depth. */
  settled: string;
  /** What a request could be admitted for now: `available` within the cap on what is unsettled; never negative. */
  spendable: string;
  openHolds: number;
  /** Null while the wallet may spend. */
  suspension: WalletSuspension | null;
}

export interface WalletSuspension {
  /** An operator's, and since when. */
  suspendedAt: string | null;
  reason: string | null;
  /** Since when the chain could not collect what the wallet owes. */
  pullFailedAt: string | null;
}

/**
 * What a provider earned, by time and model, the oldest first. A request that was refunded at the platform's cost is still
 * theirs. `from` and `to` are whole hours. Errors: invalid_request (400).
 */
export class ListEarningsRequest extends TimeSelection {
  @IsWallet()
  provider!: string;

  @IsIn(TIME_UNITS)
  by!: TimeUnit;

  @IsOptional()
  @IsModelId()
  model?: string;

  @IsPageCursor()
  cursor?: string;

  /** Lines a page; 100 unless told. */
  @IsPageLimit()
  limit?: number;
}

export interface EarningSums {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** Base units. */
  credited: string;
}

export interface EarningLine extends EarningSums {
  time: string;
  model: string;
}

export interface EarningList {
  lines: EarningLine[];
  /** Over all lines of all pages. */
  totals: EarningSums;
  /**
   * Of all times and models, base units: what was credited; what of that was released when the last payout root was made,
   * because payers had paid for it on chain (what the platform pays in their place is not released by itself); what the chain
   * has paid out, at the safe depth; and what of the released is not paid out.
   */
  account: { credited: string; released: string; paidOut: string; payable: string };
  /** What of each charge is credited from now on, basis points, rounded down to a base unit. The version before does not say. */
  shareBps?: number;
  next: string | null;
}

/** Lists what was given to a wallet and why, the newest first. Errors: invalid_request (400). */
export class ListCreditsRequest extends TimeSelection {
  @IsWallet()
  wallet!: string;

  @IsOptional()
  @IsIn(['refund', 'credit'])
  kind?: 'refund' | 'credit';

  @IsPageCursor()
  cursor?: string;

  /** Credits a page; 50 unless told. */
  @IsPageLimit()
  limit?: number;
}

export interface CreditLine {
  kind: 'refund' | 'credit';
  /** The refunded request's, or the credit's. */
  id: string;
  createdAt: string;
  /** Base units. */
  amount: string;
  reason: string;
  actor: string;
}

export interface CreditList {
  lines: CreditLine[];
  next: string | null;
}

const queue = 'billing';

export const statementContracts = {
  showPosition: defineRpc<ShowPositionRequest, StatementPosition>({
    subject: 'billing.v1.statement.position',
    queue,
    timeoutMs: 3_000,
    request: ShowPositionRequest,
  }),
  summariseUsage: defineRpc<SummariseUsageRequest, UsageSummary>({
    subject: 'billing.v1.statement.summarise',
    queue,
    timeoutMs: 5_000,
    request: SummariseUsageRequest,
  }),
  listUsage: defineRpc<ListUsageRequest, UsageList>({
    subject: 'billing.v1.statement.usage',
    queue,
    timeoutMs: 5_000,
    request: ListUsageRequest,
  }),
  showUsage: defineRpc<ShowUsageRequest, UsageDetail>({
    subject: 'billing.v1.statement.request',
    queue,
    timeoutMs: 3_000,
    request: ShowUsageRequest,
  }),
  listEarnings: defineRpc<ListEarningsRequest, EarningList>({
    subject: 'billing.v1.statement.earnings',
    queue,
    timeoutMs: 5_000,
    request: ListEarningsRequest,
  }),
  listCredits: defineRpc<ListCreditsRequest, CreditList>({
    subject: 'billing.v1.statement.credits',
    queue,
    timeoutMs: 5_000,
    request: ListCreditsRequest,
  }),
};
