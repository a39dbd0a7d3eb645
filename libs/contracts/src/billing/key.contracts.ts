import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { IsBaseUnits, IsId, IsKeyHash, IsPlainText, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** When a key's budget starts anew, UTC: at midnight; on Monday; on the first of the month. */
export const BUDGET_RESETS = ['daily', 'weekly', 'monthly'] as const;
export type BudgetReset = (typeof BUDGET_RESETS)[number];

/** The longest that a replaced value may go on working: 30 days. */
export const MAX_ROTATION_OVERLAP_SECONDS = 30 * 24 * 60 * 60;

/** The most keys of one wallet that are not revoked, and with those that are. */
export const MAX_LIVE_KEYS = 100;
export const MAX_KEYS = 1_000;
/** The most values that one key may have had. */
export const MAX_KEY_VALUES = 1_000;

/** Asks whether a key may be used, without holding anything. Errors: invalid_api_key, account_suspended. */
export class CheckKeyRequest {
  @IsKeyHash()
  keyHash!: string;
}

export interface CheckedKey {
  wallet: string;
  keyId: string;
}

/** Asks what a key may spend and has spent. Errors: invalid_api_key, account_suspended. */
export class ShowKeyRequest {
  @IsKeyHash()
  keyHash!: string;
}

/** A key as its owner sees it. Amounts are base units, times ISO 8601 in UTC. */
export interface KeyView {
  keyId: string;
  wallet: string;
  name: string;
  /** Of its current value. */
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  state: 'active' | 'disabled' | 'revoked';
  /** Until when the value that this one replaced works on; null when none does. */
  previousExpiresAt: string | null;
  /** The most it may spend, in a period if it has a reset; null is no limit but the wallet's. */
  budgetCap: string | null;
  budgetReset: BudgetReset | null;
  /** When `spent` starts anew. */
  resetsAt: string | null;
  /** In this period; without a reset, ever. */
  spent: string;
  held: string;
  /** What may still be held under it: the least of what its budget and its wallet leave. Never negative. */
  spendable: string;
}

/**
 * Stores a key that was made at the gateway; only its hash comes here. Errors: invalid_request (404 unknown wallet; 409 the key is
 * another's or revoked, or the wallet has as many as it may; 400 a reset without a cap).
 */
export class CreateKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsKeyHash()
  keyHash!: string;

  @IsString()
  @Length(4, 4)
  @IsPlainText()
  lastFour!: string;

  @IsString()
  @Length(1, 80)
  @IsPlainText()
  name!: string;

  @IsOptional()
  @IsBaseUnits()
  budgetCap?: string;

  /** Only with a cap. */
  @IsOptional()
  @IsIn(BUDGET_RESETS)
  budgetReset?: BudgetReset;
}

export interface CreatedKey {
  keyId: string;
}

/** Lists a wallet's keys, the newest first, those that work no more included. */
export class ListKeysRequest {
  @IsWallet()
  wallet!: string;
}

export interface KeyList {
  keys: KeyView[];
}

/**
 * Changes what is given and leaves the rest. Errors: invalid_request (404 unknown key; 409 it is revoked; 400 a cap below
 * what is spent and held in this period, or a reset without a cap).
 */
export class UpdateKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  keyId!: string;

  @IsOptional()
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  name?: string;

  /** Takes the limit away, and the reset with it; not together with the next two. */
  @IsOptional()
  @IsBoolean()
  removeBudget?: boolean;

  @IsOptional()
  @IsBaseUnits()
  budgetCap?: string;

  /** `never`: what is spent counts for ever. */
  @IsOptional()
  @IsIn(['never', ...BUDGET_RESETS])
  budgetReset?: BudgetReset | 'never';

  @IsOptional()
  @IsBoolean()
  disabled?: boolean;
}

/**
 * Replaces a key's value; the key keeps its id, name and budget, and those before work on for the overlap at most. Errors:
 * invalid_request (404 unknown key; 409 it is revoked, the new value is taken, or it had as many as it may).
 */
export class RotateKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  keyId!: string;

  /** The new value's, made at the gateway. */
  @IsKeyHash()
  keyHash!: string;

  @IsString()
  @Length(4, 4)
  @IsPlainText()
  lastFour!: string;

  @IsInt()
  @Min(0)
  @Max(MAX_ROTATION_OVERLAP_SECONDS)
  overlapSeconds!: number;
}

/** Ends a key for good, with all its values. Repeating it is harmless. Errors: invalid_request (404 unknown key). */
export class RevokeKeyRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  keyId!: string;
}

const queue = 'billing';

export const keyContracts = {
  checkKey: defineRpc<CheckKeyRequest, CheckedKey>({
    subject: 'billing.v1.key.check',
    queue,
    timeoutMs: 2_000,
    request: CheckKeyRequest,
  }),
  showKey: defineRpc<ShowKeyRequest, KeyView>({
    subject: 'billing.v1.key.show',
    queue,
    timeoutMs: 2_000,
    request: ShowKeyRequest,
  }),
  createKey: defineRpc<CreateKeyRequest, CreatedKey>({
    subject: 'billing.v1.key.create',
    queue,
    timeoutMs: 3_000,
    request: CreateKeyRequest,
  }),
  listKeys: defineRpc<ListKeysRequest, KeyList>({
    subject: 'billing.v1.key.list',
    queue,
    timeoutMs: 3_000,
    request: ListKeysRequest,
  }),
  updateKey: defineRpc<UpdateKeyRequest, KeyView>({
    subject: 'billing.v1.key.update',
    queue,
    timeoutMs: 3_000,
    request: UpdateKeyRequest,
  }),
  rotateKey: defineRpc<RotateKeyRequest, CreatedKey>({
    subject: 'billing.v1.key.rotate',
    queue,
    timeoutMs: 3_000,
    request: RotateKeyRequest,
  }),
  revokeKey: defineRpc<RevokeKeyRequest, CreatedKey>({
    subject: 'billing.v1.key.revoke',
    queue,
    timeoutMs: 3_000,
    request: RevokeKeyRequest,
  }),
};
