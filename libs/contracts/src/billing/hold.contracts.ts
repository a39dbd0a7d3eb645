import { Nested } from '@svc/validation';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, Length } from 'class-validator';
import { IsBaseUnits, IsDigest, IsId, IsKeyHash, IsModelId, IsPlainText, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import { RequestFailure, ServedUsage } from './served-usage';

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
  /** What is held, base units. */
  amount: string;
}

export class HoldReference {
  @IsWallet()
  wallet!: string;

  @IsId()
  holdId!: string;
}

/** Which hold ends; and, when nothing is charged for it, why. */
class HoldEnding extends HoldReference {
  /** A word for logs and statements. A refund's receipt shows it. */
  @IsOptional()
  @Length(1, 64)
  @IsPlainText()
  reason?: string;

  /** As far as it is known. */
  @IsOptional()
  @Nested(() => RequestFailure)
  failure?: RequestFailure;
}

/**
 * Resolves a hold, exactly once whatever arrives how often and in whatever order:
 * - `post`: charges the served usage and frees the rest of the hold;
 * - `void`: frees the whole hold (nothing was served);
 * - `abandon`: the client was told that the request failed, or nobody could tell it that it succeeded: frees an open
 *   hold, refunds a posted one.
 *
 * Two things are called to settle: a hold is settled by this, one request's; what charges leave a wallet owing is settled on chain, later
 * and in batches.
 */
export class SettleHoldRequest extends HoldEnding {
  @IsIn(['post', 'void', 'abandon'])
  outcome!: 'post' | 'void' | 'abandon';

  /** Required for `post`. */
  @IsOptional()
  @Nested(() => ServedUsage)
  usage?: ServedUsage;
}

/** Lets go of a hold, as `SettleHoldRequest` says; what the gateway may ask for. It can charge nothing. */
export class ReleaseHoldRequest extends HoldEnding {
  @IsIn(['void', 'abandon'])
  outcome!: 'void' | 'abandon';
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

/** How many leases one message may renew. */
export const MOST_RENEWED_HOLDS = 5_000;

/** Renews the leases of holds whose work is alive; unknown and resolved holds are passed over. */
export class RenewHoldsRequest {
  @IsArray()
  @ArrayMaxSize(MOST_RENEWED_HOLDS)
  @Nested(() => HoldReference, { each: true })
  holds!: HoldReference[];
}

export interface RenewedHolds {
  /** How many of them were renewed. Dispatch does not look at it: what it misses lapses. */
  renewed: number;
  /** How long holds stand from an admission or a renewal, ms: dispatch renews several times as often. */
  leaseMs: number;
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
 * subject, which NATS grants per user: a `post` that came by `releaseSubject` is refused and dropped. The other subjects under
 * `billing.v1.settlement` are of settlement on chain.
 */
export const SETTLEMENT_QUEUE = {
  stream: 'BILLING_SETTLEMENTS',
  /** Dispatch's: each message is a `SettleHoldRequest`. */
  deferSubject: 'billing.v1.settlement.defer',
  /** The gateway's: each message is a `ReleaseHoldRequest`. */
  releaseSubject: 'billing.v1.settlement.release',
  consumer: 'billing',
} as const;
