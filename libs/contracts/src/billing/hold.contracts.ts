import { isErrorCode } from '@svc/errors';
import type { ErrorCode } from '@svc/errors';
import { Checked, Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsBaseUnits, IsDigest, IsId, IsKeyHash, IsModelId, IsWallet } from '../fields';
import { MOST_WHY_CHARS } from '../cortex.contracts';
import { defineRpc } from '../rpc-contract';

/** What an `Idempotency-Key` stands for: the key hashed, and the request that came with it. */
export class IdempotencyClaim {
  /** 64 hex digits: the hash of the header's value; the wallet is not part of it, the ledger scopes it. */
  @IsDigest()
  keyHash!: string;

  /** 64 hex digits: SHA-256 of path and canonical body. */
  @IsDigest()
  fingerprint!: string;
}

/**
 * Asks for a hold on what a request may cost at most. Errors: invalid_api_key, account_suspended, insufficient_quota, and
 * invalid_request (422) when another request stands under the idempotency key.
 */
export class AdmitHoldRequest {
  /** Also the hold's id: a repeat of the same admission answers with the same hold. */
  @IsId()
  requestId!: string;

  @IsKeyHash()
  keyHash!: string;

  @IsModelId()
  model!: string;

  /** The most the request can cost. */
  @IsBaseUnits()
  amount!: string;

  /** Of a request with an `Idempotency-Key`. */
  @IsOptional()
  @Nested(() => IdempotencyClaim)
  idempotency?: IdempotencyClaim;
}

/**
 * `held`: the request may run. `running` and `completed`: another request under the same idempotency key does, or was
 * charged; `holdId` is that request's, `amount` what is or was held for it, and nothing more is held.
 */
export interface AdmittedHold {
  state: 'held' | 'running' | 'completed';
  holdId: string;
  wallet: string;
  keyId: string;
  /** What is held, base units. */
  amount: string;
}

/** One offer that a plan named, and what became of it: kept with the usage record for whoever asks why it was served so. */
export class RouteStep {
  @IsId()
  offerId!: string;

  /** In the plan's words. */
  @IsString()
  @MaxLength(MOST_WHY_CHARS)
  why!: string;

  /** `served`; why the attempt failed, in dispatch's words; `not_tried`; `passed_over`. */
  @IsString()
  @MaxLength(32)
  outcome!: string;
}

/** As many as a run's attempts and those passed over. */
export const MOST_ROUTE_STEPS = 20;

/** The longest time that is told of a request: a day. */
const MOST_MS = 86_400_000;

/**
 * What was served, as the ledger needs it: the charge is computed from it and from nothing else. It names no amount of
 * money: the price must fit into the hold, and nobody pays a provider for what goes beyond.
 */
export class ServedUsage {
  @IsModelId()
  model!: string;

  @IsId()
  offerId!: string;

  /** The serving provider's address: who is paid. */
  @IsWallet()
  provider!: string;

  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  /** Tokens charged: after clamping to what the hold allows. What a provider wrote beyond is paid by nobody. */
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  promptTokens!: number;

  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  completionTokens!: number;

  @IsIn(['provider', 'counted', 'capped'])
  tokenSource!: TokenSource;

  /** How many offers were tried, the serving one included. */
  @IsInt()
  @Min(1)
  @Max(100)
  attempts!: number;

  @IsString()
  @MaxLength(32)
  finishReason!: string;

  /** In the plan's order, then what it passed over. Absent: nobody said. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_ROUTE_STEPS)
  @Nested(() => RouteStep, { each: true })
  route?: RouteStep[];

  /**
   * From the beginning of the work on the request, failed attempts included, to the serving provider's first token;
   * milliseconds. Of a reply that came in one piece, its end. Absent: nobody said.
   */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST_MS)
  firstTokenMs?: number;

  /** From there to the reply's end. Absent: nobody said. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST_MS)
  totalMs?: number;
}

/** How a request failed: kept for its owner, who is charged nothing. What is not known is absent. */
export class RequestFailure {
  /** What the client was told; absent when it had left, or nobody can say. */
  @IsOptional()
  @Checked(anErrorCode)
  code?: ErrorCode;

  /** How many offers were tried. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100)
  attempts?: number;

  /** As of `ServedUsage`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_ROUTE_STEPS)
  @Nested(() => RouteStep, { each: true })
  route?: RouteStep[];

  /** From the beginning of the work on it to its failure, milliseconds. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST_MS)
  totalMs?: number;
}

/**
 * Where the token counts come from: the provider's own usage, the marketplace's count (usage was missing), or
 * the provider's claim cut down to what the observed bytes allow.
 */
export type TokenSource = 'provider' | 'counted' | 'capped';

/**
 * Resolves a hold, exactly once whatever arrives how often and in whatever order:
 * - `post`: charges the served usage and frees the rest of the hold;
 * - `void`: frees the whole hold (nothing was served);
 * - `abandon`: the client was told that the request failed, or nobody could tell it that it succeeded: frees an open
 *   hold, refunds a posted one.
 */
export class SettleHoldRequest {
  @IsId()
  holdId!: string;

  @IsWallet()
  wallet!: string;

  @IsIn(['post', 'void', 'abandon'])
  outcome!: 'post' | 'void' | 'abandon';

  /** Required for `post`. */
  @IsOptional()
  @Nested(() => ServedUsage)
  usage?: ServedUsage;

  /** Why, for `void` and `abandon`; a word for logs and statements. A refund's receipt shows it. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  reason?: string;

  /** Of a `void` or `abandon`, as far as it is known. */
  @IsOptional()
  @Nested(() => RequestFailure)
  failure?: RequestFailure;
}

/** Lets go of a hold, as `SettleHoldRequest` says; what the gateway may ask for. It can charge nothing. */
export class ReleaseHoldRequest {
  @IsId()
  holdId!: string;

  @IsWallet()
  wallet!: string;

  @IsIn(['void', 'abandon'])
  outcome!: 'void' | 'abandon';

  /** Why; a word for logs and statements. A refund's receipt shows it. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  reason?: string;

  /** As far as it is known. */
  @IsOptional()
  @Nested(() => RequestFailure)
  failure?: RequestFailure;
}

export interface SettledHold {
  /**
   * How the hold stands now. `late`: the post came after the hold had been expired or voided and was booked to the
   * platform's loss; the payer was charged nothing.
   */
  state: 'posted' | 'voided' | 'expired' | 'refunded' | 'late' | 'unknown';
  /** What the payer is charged, base units. */
  charged: string;
}

export class HoldReference {
  @IsWallet()
  wallet!: string;

  @IsId()
  holdId!: string;
}

/** Renews the leases of holds whose work is alive; unknown and resolved holds are passed over. */
export class RenewHoldsRequest {
  @IsArray()
  @ArrayMaxSize(5_000)
  @Nested(() => HoldReference, { each: true })
  holds!: HoldReference[];
}

export interface RenewedHolds {
  renewed: number;
}

const queue = 'billing';

export const holdContracts = {
  admitHold: defineRpc<AdmitHoldRequest, AdmittedHold>({
    subject: 'billing.v1.hold.admit',
    queue,
    timeoutMs: 3_000,
    gathered: true,
    request: AdmitHoldRequest,
  }),
  settleHold: defineRpc<SettleHoldRequest, SettledHold>({
    subject: 'billing.v1.hold.settle',
    queue,
    timeoutMs: 3_000,
    gathered: true,
    request: SettleHoldRequest,
  }),
  renewHolds: defineRpc<RenewHoldsRequest, RenewedHolds>({
    subject: 'billing.v1.hold.renew',
    queue,
    timeoutMs: 3_000,
    request: RenewHoldsRequest,
  }),
};

/**
 * Settlements that could not be made by a call (billing was away), or must not be lost (abandons), wait here: a
 * JetStream work queue. Each message is applied by hold id, so a repeat changes nothing. Who may charge is told by the
 * subject, which NATS grants per user: a `post` that came by `releaseSubject` is refused and dropped.
 */
export const SETTLEMENT_QUEUE = {
  stream: 'BILLING_SETTLEMENTS',
  /** Dispatch's: each message is a `SettleHoldRequest`. */
  deferSubject: 'billing.v1.settlement.defer',
  /** The gateway's: each message is a `ReleaseHoldRequest`. */
  releaseSubject: 'billing.v1.settlement.release',
  consumer: 'billing',
} as const;

function anErrorCode(code: unknown) {
  return isErrorCode(code) ? undefined : { path: '', message: 'must be an error code' };
}
