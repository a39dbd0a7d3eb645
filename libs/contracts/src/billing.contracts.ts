import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsBaseUnits, IsId, IsKeyHash, IsModelId, IsWallet } from './fields';
import { defineRpc } from './rpc-contract';

/** Asks for a hold on what a request may cost at most. Errors: invalid_api_key, account_suspended, insufficient_quota. */
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
}

export interface AdmittedHold {
  holdId: string;
  wallet: string;
  keyId: string;
  /** What is held, base units. */
  amount: string;
}

/** Asks whether a key may be used, without holding anything. Errors: invalid_api_key, account_suspended. */
export class CheckKeyRequest {
  @IsKeyHash()
  keyHash!: string;
}

export interface CheckedKey {
  wallet: string;
  keyId: string;
}

/** What was served, as the ledger needs it: the charge is computed from it and from nothing else. */
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

  /** Tokens charged (after clamping to what the hold allows). */
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

  /** What clamping to the hold cost the platform, base units; "0" when nothing was clamped. */
  @IsBaseUnits()
  platformLoss!: string;

  @IsString()
  @MaxLength(32)
  finishReason!: string;
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

  /** Why, for `void` and `abandon`; a word for logs and statements. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  reason?: string;
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

/** Makes a wallet known, reads its balance and approval from the chain. Repeating it is harmless. */
export class RegisterWalletRequest {
  @IsWallet()
  wallet!: string;
}

export class ShowWalletRequest {
  @IsWallet()
  wallet!: string;
}

/** A wallet's position, every amount in base units. */
export interface WalletPosition {
  wallet: string;
  suspended: boolean;
  /** min(balance, allowance) as the chain's head and its safe depth show it. */
  limitHead: string;
  limitSafe: string;
  held: string;
  /** Charged, and not yet settled on chain. */
  unsettled: string;
  /** What may still be held: negative never. */
  spendable: string;
  openHolds: number;
}

/** Stores a key that was made at the gateway; only its hash comes here. */
export class CreateKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsKeyHash()
  keyHash!: string;

  @IsString()
  @Length(4, 4)
  lastFour!: string;

  @IsString()
  @Length(1, 80)
  name!: string;
}

export interface CreatedKey {
  keyId: string;
}

/** Suspends or reinstates a wallet, with a reason for the audit trail. */
export class SuspendWalletRequest {
  @IsWallet()
  wallet!: string;

  @IsString()
  @Length(1, 200)
  reason!: string;
}

export class ReinstateWalletRequest {
  @IsWallet()
  wallet!: string;
}

export class RevokeKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  keyId!: string;
}

/** Asks for the sums that must balance; for tests, operators and metrics. */
export class ShowTrialBalanceRequest {}

export interface TrialBalance {
  /** Σ debits and Σ credits over all accounts: equal. */
  debits: string;
  credits: string;
  accounts: { account: string; debits: string; credits: string }[];
  heldByWallets: string;
  heldByOpenHolds: string;
  openHolds: number;
}

const queue = 'billing';

export const billingContracts = {
  admitHold: defineRpc<AdmitHoldRequest, AdmittedHold>({
    subject: 'billing.v1.hold.admit',
    queue,
    timeoutMs: 3_000,
    request: AdmitHoldRequest,
  }),
  settleHold: defineRpc<SettleHoldRequest, SettledHold>({
    subject: 'billing.v1.hold.settle',
    queue,
    timeoutMs: 3_000,
    request: SettleHoldRequest,
  }),
  renewHolds: defineRpc<RenewHoldsRequest, RenewedHolds>({
    subject: 'billing.v1.hold.renew',
    queue,
    timeoutMs: 3_000,
    request: RenewHoldsRequest,
  }),
  checkKey: defineRpc<CheckKeyRequest, CheckedKey>({
    subject: 'billing.v1.key.check',
    queue,
    timeoutMs: 2_000,
    request: CheckKeyRequest,
  }),
  createKey: defineRpc<CreateKeyRequest, CreatedKey>({
    subject: 'billing.v1.key.create',
    queue,
    timeoutMs: 3_000,
    request: CreateKeyRequest,
  }),
  revokeKey: defineRpc<RevokeKeyRequest, CreatedKey>({
    subject: 'billing.v1.key.revoke',
    queue,
    timeoutMs: 3_000,
    request: RevokeKeyRequest,
  }),
  registerWallet: defineRpc<RegisterWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.register',
    queue,
    timeoutMs: 10_000,
    request: RegisterWalletRequest,
  }),
  showWallet: defineRpc<ShowWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.show',
    queue,
    timeoutMs: 3_000,
    request: ShowWalletRequest,
  }),
  suspendWallet: defineRpc<SuspendWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.suspend',
    queue,
    timeoutMs: 3_000,
    request: SuspendWalletRequest,
  }),
  reinstateWallet: defineRpc<ReinstateWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.reinstate',
    queue,
    timeoutMs: 3_000,
    request: ReinstateWalletRequest,
  }),
  showTrialBalance: defineRpc<ShowTrialBalanceRequest, TrialBalance>({
    subject: 'billing.v1.ledger.balance',
    queue,
    timeoutMs: 10_000,
    request: ShowTrialBalanceRequest,
  }),
};

/**
 * Settlements that could not be made by a call (billing was away), or must not be lost (abandons), wait here: a
 * JetStream work queue. Each message is a `SettleHoldRequest`; applied by hold id, so a repeat changes nothing.
 */
export const SETTLEMENT_QUEUE = {
  stream: 'BILLING_SETTLEMENTS',
  subject: 'billing.v1.settlement.defer',
  consumer: 'billing',
} as const;
