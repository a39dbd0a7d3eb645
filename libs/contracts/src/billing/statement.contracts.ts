import { Checked } from '@svc/validation';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { IsId, IsModelId, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import { IsUtcTime, isBefore } from '../utc-time';
import type { TokenSource } from './hold.contracts';

/** The longest page that any statement has. */
export const MAX_STATEMENT_PAGE = 500;

/** The field is where a page ended, as the reply before said it. */
function IsCursor(): PropertyDecorator {
  return Matches(/^[A-Za-z0-9_-]{1,1000}$/, { message: 'must be the `next` of the page before' });
}

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

/** Which usage of a wallet is meant: all of it, narrowed down by what is given. */
export class UsageSelection {
  @IsWallet()
  wallet!: string;

  @IsOptional()
  @IsId()
  keyId?: string;

  @IsOptional()
  @IsModelId()
  model?: string;

  @IsOptional()
  @IsWallet()
  provider?: string;

  /** The first moment, UTC, e.g. `2026-11-21T06:00:00Z`. */
  @IsOptional()
  @IsUtcTime()
  from?: string;

  /** The first moment after; later than `from`. */
  @IsOptional()
  @IsUtcTime()
  @Checked(laterThanFrom)
  to?: string;
}

export type UsageDimension = 'hour' | 'day' | 'month' | 'key' | 'model' | 'provider';
const USAGE_DIMENSIONS: readonly UsageDimension[] = ['hour', 'day', 'month', 'key', 'model', 'provider'];

/**
 * Sums of usage by any of time, key, model and provider. `from` and `to` are whole hours. The groups come in the order of
 * time, key, model, provider. Errors: invalid_request (400).
 */
export class SummariseUsageRequest extends UsageSelection {
  /** At most one of the times; empty for one sum. */
  @IsArray()
  @ArrayMaxSize(4)
  @IsIn(USAGE_DIMENSIONS, { each: true })
  @Checked(eachOnce)
  by!: UsageDimension[];

  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Groups a page; 100 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_STATEMENT_PAGE)
  limit?: number;
}

export interface UsageSums {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  /** What was charged, base units; refunds are not taken off, the list of credits has them. */
  charged: string;
}

/** One group; a dimension that was not asked for is absent. */
export interface UsageGroup extends UsageSums {
  /** The beginning of the hour, day or month, UTC. */
  time?: string;
  keyId?: string;
  model?: string;
  provider?: string;
}

export interface UsageSummary {
  groups: UsageGroup[];
  /** Over all groups of all pages. */
  totals: UsageSums;
  /** For the next page; null after the last. */
  next: string | null;
}

/** Lists requests that were served, the newest first. Errors: invalid_request (400). */
export class ListUsageRequest extends UsageSelection {
  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Requests a page; 50 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_STATEMENT_PAGE)
  limit?: number;
}

/** A request that was served, as it was charged; amounts in base units. */
export interface UsageLine {
  requestId: string;
  createdAt: string;
  keyId: string;
  model: string;
  provider: string;
  offerId: string;
  promptTokens: number;
  completionTokens: number;
  tokenSource: TokenSource;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  attempts: number;
  finishReason: string;
  held: string;
  /** 0 for a late one. */
  charged: string;
  /** It was served after its hold had ended: the platform paid. */
  late: boolean;
  /** The whole charge was given back; the list of credits says why. */
  refunded: boolean;
}

export interface UsageList {
  lines: UsageLine[];
  next: string | null;
}

/**
 * What a provider earned, by time and model, the oldest first. A request that was refunded at the platform's cost is still
 * theirs. `from` and `to` are whole hours. Errors: invalid_request (400).
 */
export class ListEarningsRequest {
  @IsWallet()
  provider!: string;

  @IsIn(['hour', 'day', 'month'])
  by!: 'hour' | 'day' | 'month';

  @IsOptional()
  @IsModelId()
  model?: string;

  @IsOptional()
  @IsUtcTime()
  from?: string;

  @IsOptional()
  @IsUtcTime()
  @Checked(laterThanFrom)
  to?: string;

  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Lines a page; 100 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_STATEMENT_PAGE)
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
  next: string | null;
}

/** Lists what was given to a wallet and why, the newest first. Errors: invalid_request (400). */
export class ListCreditsRequest {
  @IsWallet()
  wallet!: string;

  @IsOptional()
  @IsIn(['refund', 'credit'])
  kind?: 'refund' | 'credit';

  @IsOptional()
  @IsUtcTime()
  from?: string;

  @IsOptional()
  @IsUtcTime()
  @Checked(laterThanFrom)
  to?: string;

  @IsOptional()
  @IsCursor()
  cursor?: string;

  /** Credits a page; 50 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_STATEMENT_PAGE)
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

/** Asks for all selected usage as CSV, the newest first. */
export class ExportUsageRequest extends UsageSelection {}

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

/**
 * The export, a stream: the reply inbox gets CHUNK messages, numbered from 0 in `sequenceHeader`, then one END message with
 * the next number and the count of rows in `rowsHeader`. Each chunk names a reply subject: `ack` there asks for one more
 * beyond the `windowChunks` that may be on their way, `stop` ends the export. A gap in the numbers is a lost chunk: the export
 * has failed. An error comes as for other calls.
 */
export const USAGE_EXPORT = {
  subject: 'billing.v1.statement.export',
  queue,
  request: ExportUsageRequest,
  windowChunks: 4,
  sequenceHeader: 'Svc-Sequence',
  rowsHeader: 'Svc-Rows',
  ack: 'ack',
  stop: 'stop',
  /** Either side gives up when it hears nothing for so long. */
  silenceMs: 120_000,
} as const;

function laterThanFrom(to: unknown, object: object) {
  const { from } = object as { from?: unknown };
  return isBefore(to, from) ? { path: '', message: 'must be later than from' } : undefined;
}

function eachOnce(by: unknown) {
  const given = by as UsageDimension[];
  const times = given.filter((each) => each === 'hour' || each === 'day' || each === 'month');
  if (times.length > 1) return { path: '', message: 'must hold at most one of hour, day and month' };
  return new Set(given).size < given.length ? { path: '', message: 'must hold each only once' } : undefined;
}
