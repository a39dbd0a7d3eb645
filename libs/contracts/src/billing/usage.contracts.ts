import { Checked } from '@svc/validation';
import { ArrayMaxSize, IsArray, IsIn, IsOptional } from 'class-validator';
import { IsId, IsModelId, IsWallet } from '../fields';
import type { RouteStep, TokenSource } from './hold.contracts';
import { IsPageCursor, IsPageLimit, TimeSelection } from './statement-page';

/** Which usage of a wallet is meant: all of it, narrowed down by what is given. */
export class UsageSelection extends TimeSelection {
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

  @IsPageCursor()
  cursor?: string;

  /** Groups a page; 100 unless told. */
  @IsPageLimit()
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
  @IsPageCursor()
  cursor?: string;

  /** Requests a page; 50 unless told. */
  @IsPageLimit()
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
  /** Which offers its plan named and why, and what became of each; null when nobody said. */
  route: RouteStep[] | null;
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

/** Asks for all selected usage as CSV, the newest first. */
export class ExportUsageRequest extends UsageSelection {}

/**
 * The export, a stream: the reply inbox gets CHUNK messages, numbered from 0 in `sequenceHeader`, then one END message with
 * the next number and the count of rows in `rowsHeader`. Each chunk names a reply subject: `ack` there asks for one more
 * beyond the `windowChunks` that may be on their way, `stop` ends the export. A gap in the numbers is a lost chunk: the export
 * has failed. An error comes as for other calls.
 */
export const USAGE_EXPORT = {
  subject: 'billing.v1.statement.export',
  queue: 'billing',
  request: ExportUsageRequest,
  windowChunks: 4,
  sequenceHeader: 'Svc-Sequence',
  rowsHeader: 'Svc-Rows',
  ack: 'ack',
  stop: 'stop',
  /** Either side gives up when it hears nothing for so long. */
  silenceMs: 120_000,
} as const;

function eachOnce(by: unknown) {
  const given = by as UsageDimension[];
  const times = given.filter((each) => each === 'hour' || each === 'day' || each === 'month');
  if (times.length > 1) return { path: '', message: 'must hold at most one of hour, day and month' };
  return new Set(given).size < given.length ? { path: '', message: 'must hold each only once' } : undefined;
}
