import type { IdempotencyClaim, RequestFailure, SettledHold, TokenSource } from '@svc/contracts';

/** Asks for a hold. Amounts everywhere here are base units. */
export interface Admission {
  readonly type: 'admit';
  /** The hold's id, which is the request's: given by the caller, so that a repeat is seen as one. */
  readonly holdId: string;
  readonly keyHash: string;
  readonly amount: bigint;
  readonly model: string;
  /** Of a request with an `Idempotency-Key`. */
  readonly idempotency?: IdempotencyClaim | undefined;
}

/** What a post books: the cost and who gets what of it, and everything its receipt says. */
export interface Charge {
  readonly model: string;
  readonly offerId: string;
  readonly provider: string;
  readonly inputPricePerMtok: bigint;
  readonly outputPricePerMtok: bigint;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly tokenSource: TokenSource;
  readonly attempts: number;
  readonly finishReason: string;
  /** `RouteStep`s as JSON, kept with the record. */
  readonly route?: string | undefined;
  /** Since the work on it began, milliseconds. */
  readonly firstTokenMs?: number | undefined;
  readonly totalMs?: number | undefined;
  /** `priceOf` of the tokens at these prices. */
  readonly cost: bigint;
  readonly providerShare: bigint;
}

interface HoldOperation {
  readonly wallet: string;
  readonly holdId: string;
}

interface Post extends HoldOperation {
  readonly type: 'post';
  readonly charge: Charge;
}

/** Frees a hold. `abandon` also takes back a post; `expire` does nothing while the lease runs. */
export interface Release extends HoldOperation {
  readonly type: 'void' | 'abandon' | 'expire';
  /** A word for the refund's receipt, and for the list of what was not served. */
  readonly reason?: string | undefined;
  readonly failure?: FailureNotes | undefined;
}

/** A `RequestFailure`, its route as JSON. */
export type FailureNotes = Omit<RequestFailure, 'route'> & { readonly route?: string | undefined };

/** Renews a hold's lease. */
export interface Renewal extends HoldOperation {
  readonly type: 'renew';
}

export type Resolution = Post | Release;

/** What the ledger takes, each applied wholly or not at all, and durable before it is answered. */
export type Operation = Admission | Resolution | Renewal;

export type AdmissionResult =
  | { readonly outcome: 'held'; readonly wallet: string; readonly keyId: string; readonly amount: bigint }
  | { readonly outcome: 'unknown_key' }
  | { readonly outcome: 'suspended' }
  | {
      readonly outcome: 'insufficient';
      readonly wallet: string;
      readonly keyId: string;
      /** By requests of the key where its budget is the limit, else of the whole wallet. */
      readonly held: bigint;
      readonly spendable: bigint;
      readonly limitedBy: QuotaLimit;
    }
  /** The id stands for another admission: another amount or another key. */
  | { readonly outcome: 'different' }
  /** The id's hold was admitted before and is resolved: it must not hold again. */
  | { readonly outcome: 'resolved' }
  /** Another request stands under the idempotency key. */
  | { readonly outcome: 'mismatch' }
  /** The same request under the idempotency key runs, or was charged; nothing more is held. */
  | {
      readonly outcome: 'running' | 'completed';
      readonly wallet: string;
      readonly keyId: string;
      readonly holdId: string;
      readonly amount: bigint;
    };

/**
 * What keeps a hold from being admitted: the wallet's means on chain; the cap on what it may owe before the chain has
 * collected it; the key's budget.
 */
export type QuotaLimit = 'wallet' | 'unsettled' | 'key';

export interface ResolutionResult {
  /** `above_hold`: a post of more than was held, refused. `open`: an expiry while the lease runs, refused. */
  readonly state: SettledHold['state'] | 'above_hold' | 'open';
  /** What the payer is charged as it now stands. */
  readonly charged: bigint;
}

export interface RenewalResult {
  /** False for unknown and resolved holds. */
  readonly renewed: boolean;
}

export type OperationResult = AdmissionResult | ResolutionResult | RenewalResult;
