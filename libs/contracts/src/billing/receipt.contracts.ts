import { Checked } from '@svc/validation';
import { IsIn, IsOptional } from 'class-validator';
import { IsId, IsKeyHash, IsWallet } from '../fields';
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

  /** The request's id, or the credit's. */
  @IsId()
  @Checked(keyOrWallet)
  requestId!: string;

  /** `usage` unless told. */
  @IsOptional()
  @IsIn(['usage', 'refund', 'credit'])
  kind?: ReceiptKind;
}

/** A receipt and where it stands on chain: the file that `verify-receipt` takes. */
export interface ReceiptDocumentView {
  receipt: UsageReceiptView | CreditReceiptView;
  /** Null until its batch is on chain. */
  settlement: ReceiptSettlementView | null;
}

/** What a request was and what it cost. */
export interface UsageReceiptView {
  type: 'usage';
  id: string;
  wallet: string;
  key_id: string;
  model: string;
  provider: string;
  offer_id: string;
  /** Base units per million tokens. */
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  prompt_tokens: number;
  completion_tokens: number;
  token_source: string;
  attempts: number;
  finish_reason: string;
  /** USDC with six decimals, as is the cost. */
  held_usdc: string;
  cost_usdc: string;
  /** UTC with microseconds. */
  created_at: string;
}

/** What lowers the sum a wallet owes. */
export interface CreditReceiptView {
  type: 'refund' | 'credit';
  id: string;
  wallet: string;
  amount_usdc: string;
  reason: string;
  created_at: string;
}

/** The way from the receipt's leaf to the batch's root on chain. */
export interface ReceiptSettlementView {
  chain_id: number;
  contract: string;
  batch_id: string;
  receipt_proof: string[];
  payer: string;
  /** All the payer had ever owed as of the batch, base units. */
  cumulative: string;
  payer_root: string;
  batch_proof: string[];
}

export const receiptContracts = {
  showReceipt: defineRpc<ShowReceiptRequest, ReceiptDocumentView>({
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
