import { Checked } from '@svc/validation';
import { ArrayMaxSize, IsArray, IsIn, IsOptional } from 'class-validator';
import type { ErrorCode } from '@svc/errors';
import { IsId, IsModelId, IsWallet } from '../fields';
import type { RouteStep, TokenSource } from './served-usage';
import { IsPageCursor, IsPageLimit, TIME_UNITS, TimeSelection, isTimeUnit } from './statement-page';

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

  /** Whoever served: leaves out what nobody did. */
  @IsOptional()
  @IsWallet()
  provider?: string;
}

/**
 * What became of a request: `served` ones were charged for; `unserved` ones were admitted, came to nothing and cost nothing. What
 * was refused before anything was held for it is in no list.
 */
export const USAGE_OUTCOMES = ['served', 'unserved'] as const;
export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/** Which lines of a selection are meant. */
export class UsageLineSelection extends UsageSelection {
  /** Both unless told. */
  @IsOptional()
  @IsIn(USAGE_OUTCOMES)
  outcome?: UsageOutcome;
}

const USAGE_DIMENSIONS = [...TIME_UNITS, 'key', 'model', 'provider'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

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
  /** That were served. */
  requests: number;
  /** That nobody served, and that cost nothing. */
  unserved: number;
  /** Of these, how many failed: not those whose client left by itself. */
  errors: number;
  promptTokens: number;
  completionTokens: number;
  /** What was charged, base units; refunds are not taken off, the list of credits has them. */
  charged: string;
  /** Of how many served ones it is known how long they took; the two times below are their sums, milliseconds. */
  timed: number;
  firstTokenMs: number;
  totalMs: number;
}

/** One group; a dimension that was not asked for is absent. */
export interface UsageGroup extends UsageSums {
  /** The beginning of the hour, day or month, UTC. */
  time?: string;
  keyId?: string;
  model?: string;
  /** Empty for what nobody served. */
  provider?: string;
}

export interface UsageSummary {
  groups: UsageGroup[];
  /** Over all groups of all pages. */
  totals: UsageSums;
  /** For the next page; null after the last. */
  next: string | null;
}

/** Lists requests, the newest first. Errors: invalid_request (400). */
export class ListUsageRequest extends UsageLineSelection {
  @IsPageCursor()
  cursor?: string;

  /** Requests a page; 50 unless told. */
  @IsPageLimit()
  limit?: number;
}

/** A request as it was charged, or came to nothing; amounts in base units. */
export type UsageLine = ServedLine | UnservedLine;

/** What every line says. */
interface RequestLine {
  requestId: string;
  createdAt: string;
  keyId: string;
  /** That served; of an unserved one, that was asked for. */
  model: string;
  /** Which offers its plan named and why, and what became of each; null when nobody said. */
  route: RouteStep[] | null;
  held: string;
  /** 0 for a late one, and for one that nobody served. */
  charged: string;
  /** From the beginning of the work on it to its end, milliseconds; null when nobody said. */
  totalMs: number | null;
}

/** A request that was served. */
export interface ServedLine extends RequestLine {
  outcome: 'served';
  provider: string;
  offerId: string;
  promptTokens: number;
  completionTokens: number;
  tokenSource: TokenSource;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  attempts: number;
  finishReason: string;
  /** From the beginning of the work on it to the first token, milliseconds; null when nobody said. */
  firstTokenMs: number | null;
  /** It was served after its hold had ended: the platform paid. */
  late: boolean;
  /** The whole charge was given back; the list of credits says why. */
  refunded: boolean;
}

/** A request that was admitted and that nobody served: its hold was freed, and nothing was charged. */
export interface UnservedLine extends RequestLine {
  outcome: 'unserved';
  attempts: number | null;
  /** Why its hold was freed: an error code, `cancelled`, `expired`, or another word of whoever freed it. */
  reason: string;
  /** The error that its client was told; null when it was told none, or nobody said. */
  code: ErrorCode | null;
}

export interface UsageList {
  lines: UsageLine[];
  next: string | null;
}

/** Asks for one request of a wallet. Errors: invalid_request (404: there is none, or it is another wallet's, in the same words). */
export class ShowUsageRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  requestId!: string;
}

/** What is known of one request. */
export interface UsageDetail {
  /**
   * As it was charged. A request that was served after its hold had ended stands here as served: the platform paid.
   * Both are there at once, without waiting for the lists.
   */
  line: UsageLine;
  /** What was given back of the charge; null when nothing was. */
  refund: { amount: string; reason: string; createdAt: string } | null;
  /** The settlement batch that collects its receipt; null while there is none, or nothing to collect. */
  batchId: string | null;
}

/** Asks for all selected usage as CSV, the newest first. */
export class ExportUsageRequest extends UsageLineSelection {}

/**
 * The export, a stream: the reply inbox gets CHUNK messages, numbered from 0 in `sequenceHeader`, then one END message with
 * the next number and the count of rows in `rowsHeader`. Each chunk names a reply subject: `ack` there asks for one more
 * beyond the `windowChunks` that may be on their way, `stop` ends the export. A gap in the numbers is a lost chunk: the export
 * has failed. While billing waits for an answer it sends empty messages with `presenceHeader` and no number, which want none: the NATS
 * server tells billing when nobody is there to get them. An error comes as for other calls.
 */
export const USAGE_EXPORT = {
  subject: 'billing.v1.statement.export',
  queue: 'billing',
  request: ExportUsageRequest,
  windowChunks: 4,
  sequenceHeader: 'Svc-Sequence',
  rowsHeader: 'Svc-Rows',
  presenceHeader: 'Svc-Presence',
  ack: 'ack',
  stop: 'stop',
  /** Either side gives up when it hears nothing for so long. */
  silenceMs: 120_000,
} as const;

function eachOnce(by: unknown) {
  const given = by as UsageDimension[];
  const times = given.filter(isTimeUnit);
  if (times.length > 1) return { path: '', message: 'must hold at most one of hour, day and month' };
  return new Set(given).size < given.length ? { path: '', message: 'must hold each only once' } : undefined;
}
