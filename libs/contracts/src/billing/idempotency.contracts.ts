import { Nested } from '@svc/validation';
import { IsBase64, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { IsId, IsKeyHash, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import { IdempotencyClaim } from './hold.contracts';
import type { AdmittedHold } from './hold.contracts';

/** Stored responses travel in parts of this many bytes at most. */
export const RESPONSE_PART_BYTES = 1024 * 1024;
/** How many parts a response may have: 8 MiB, what a message carries. */
export const MAX_RESPONSE_PARTS = 9;

/**
 * Stores a part of the reply of an idempotent request that still runs, encrypted by dispatch; the post that follows pins it.
 * Errors: invalid_request (409) when the request runs no more, or has no idempotency key.
 */
export class StoreResponseRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  holdId!: string;

  /** From 0. */
  @IsInt()
  @Min(0)
  @Max(MAX_RESPONSE_PARTS - 1)
  part!: number;

  /** At most `RESPONSE_PART_BYTES` in base64. */
  @IsString()
  @IsBase64()
  @MaxLength(Math.ceil(RESPONSE_PART_BYTES / 3) * 4)
  bytes!: string;
}

export interface StoredResponse {
  /** The one that was sent. Nobody looks at it. */
  part: number;
  /** False where there is no room: nothing of the reply is kept, its other parts need not be sent, and the request goes on. */
  isKept?: boolean;
}

/** Reads a part of a completed request's reply. Errors: invalid_request (404). */
export class ReadResponseRequest {
  @IsWallet()
  wallet!: string;

  @IsId()
  holdId!: string;

  @IsInt()
  @Min(0)
  @Max(MAX_RESPONSE_PARTS - 1)
  part!: number;
}

export interface ResponsePart {
  bytes: string;
  parts: number;
}

/**
 * Asks what stands under an idempotency key, without holding anything: for requests that could not be served now, but may
 * have been before. Errors: invalid_api_key, account_suspended, invalid_request (422 another request stands there).
 */
export class FindIdempotentRequest {
  @IsKeyHash()
  keyHash!: string;

  @Nested(() => IdempotencyClaim)
  idempotency!: IdempotencyClaim;
}

/** The request that runs or was charged under the key, if any. */
export interface FoundIdempotent {
  found: AdmittedHold | null;
}

const queue = 'billing';

export const idempotencyContracts = {
  storeResponse: defineRpc<StoreResponseRequest, StoredResponse>({
    subject: 'billing.v1.response.store',
    queue,
    timeoutMs: 5_000,
    request: StoreResponseRequest,
  }),
  readResponse: defineRpc<ReadResponseRequest, ResponsePart>({
    subject: 'billing.v1.response.read',
    queue,
    timeoutMs: 5_000,
    request: ReadResponseRequest,
  }),
  findIdempotent: defineRpc<FindIdempotentRequest, FoundIdempotent>({
    subject: 'billing.v1.idempotency.find',
    queue,
    timeoutMs: 2_000,
    request: FindIdempotentRequest,
  }),
};
