import { Checked } from '@svc/validation';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { IsKeyHash, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

export type ReceiptKind = 'usage' | 'refund' | 'credit';

/**
 * Asks for a receipt. Errors: invalid_request (404: there is none, or it is another wallet's, in the same words),
 * invalid_api_key.
 */
export class ShowReceiptRequest {
  /** Of an API key of the wallet; for the gateway. Either this or `wallet`. */
  @IsOptional()
  @IsKeyHash()
  keyHash?: string;

  @IsOptional()
  @IsWallet()
  wallet?: string;

  /** The request's id, or the credit's; `<id>.1` and so on for the parts that a large refund or credit was collected in. */
  @Matches(/^[A-Za-z0-9_-]{1,80}(\.[1-9][0-9]{0,8})?$/, {
    message: 'must be the id of a request or a credit, or of a part of it: with a dot and a number behind',
  })
  @Checked(keyOrWallet)
  requestId!: string;

  /** `usage` unless told. */
  @IsOptional()
  @IsIn(['usage', 'refund', 'credit'])
  kind?: ReceiptKind;
}

/** What a request was and what it cost. Field order does not matter: the leaf is made from the canonical form. */
export interface UsageReceipt {
  type: 'usage';
  /** The request's, `req_…`. */
  id: string;
  /** Whoever pays, an EVM address. */
  wallet: string;
  /** Id of the API key, not the key. */
  key_id: string;
  model: string;
  /** The provider's address; another word where none served. */
  provider: string;
  offer_id: string;
  /** Base units (10^-6 USDC) per million tokens, in plain digits. */
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  prompt_tokens: number;
  completion_tokens: number;
  /** Who counted the tokens. */
  token_source: string;
  /** How many offers were tried. */
  attempts: number;
  finish_reason: string;
  /** The most the request could have cost, USDC with six decimals. */
  held_usdc: string;
  /** ceil((prompt · input price + completion · output price) / 10^6), USDC with six decimals. */
  cost_usdc: string;
  /** UTC with microseconds: 2026-11-21T06:00:00.000000Z. */
  created_at: string;
}

/** What lowers the sum a wallet owes. A refund's id is the refunded request's. */
export interface CreditReceipt {
  type: 'refund' | 'credit';
  id: string;
  wallet: string;
  /** USDC with six decimals. */
  amount_usdc: string;
  reason: string;
  created_at: string;
}

export type Receipt = UsageReceipt | CreditReceipt;

/**
 * Where a receipt stands on chain: `receipt_proof` leads from its leaf to `payer_root`, the root of all receipts that a
 * batch adds for the payer; `batch_proof` leads from the payer's due, of which `payer_root` is part, to the root that
 * the contract keeps for the batch.
 */
export interface ReceiptSettlement {
  chain_id: number;
  contract: string;
  /** 32 bytes in hex, as are the roots and the proofs' nodes. */
  batch_id: string;
  receipt_proof: string[];
  payer: string;
  /** All the payer had ever owed as of this batch: base units in plain digits. */
  cumulative: string;
  payer_root: string;
  batch_proof: string[];
}

/** The file a wallet's owner gets; `settlement` is null until the receipt's batch is on chain. */
export interface ReceiptDocument {
  receipt: Receipt;
  settlement: ReceiptSettlement | null;
}

export const receiptContracts = {
  showReceipt: defineRpc<ShowReceiptRequest, ReceiptDocument>({
    subject: 'billing.v1.receipt.show',
    queue: 'billing',
    timeoutMs: 5_000,
    request: ShowReceiptRequest,
  }),
};

function keyOrWallet(_requestId: unknown, object: object) {
  const { keyHash, wallet } = object as { keyHash?: unknown; wallet?: unknown };
  if ((keyHash ?? null) !== null && (wallet ?? null) !== null)
    return { path: '', message: 'takes either keyHash or wallet' };
  return (keyHash ?? wallet ?? null) === null ? { path: '', message: 'needs keyHash or wallet' } : undefined;
}
