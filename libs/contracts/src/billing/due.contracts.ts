import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import type { ReceiptKind } from './receipt.contracts';
import { IsBatchId } from './settlement.contracts';
import type { BatchDue, BatchSummary, BatchTransaction } from './settlement.contracts';
import { IsPageCursor, IsPageLimit } from './statement-page';

/** The longest page of dues. */
const MAX_DUE_PAGE = 100;

/** Asks for the settlement batches in which a wallet has a line, the newest first. */
export class ListDuesRequest {
  @IsWallet()
  wallet!: string;

  /** Dues a page; 25 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_DUE_PAGE)
  limit?: number;

  /** Where the page before ended: its `next`. */
  @IsOptional()
  @IsBatchId()
  before?: string;
}

/** A wallet's line in a batch, and the batch. Other wallets' lines are not told. */
export interface WalletDue {
  batch: BatchSummary;
  line: BatchDue;
  /** How many of the wallet's receipts the line collects; 0 when it only asks again for what is still owed. */
  receipts: number;
}

export interface DueList {
  dues: WalletDue[];
  /** For the next page's `before`; null on the last. */
  next: string | null;
}

/** Asks for one of them and the receipts that it collects. Errors: invalid_request (404: the wallet has no line in such a batch). */
export class ShowDueRequest {
  @IsWallet()
  wallet!: string;

  @IsBatchId()
  batchId!: string;

  @IsPageCursor()
  cursor?: string;

  /** Receipts a page; 50 unless told. */
  @IsPageLimit()
  limit?: number;
}

/** A receipt that a line collects. */
export interface DueReceipt {
  kind: ReceiptKind;
  /** The request's, the refunded request's, or the credit's; `<id>.1` and so on for parts of a large refund or credit. */
  id: string;
  createdAt: string;
  /** What it adds to what the wallet owes, base units; negative for refunds and credits. */
  amount: string;
  /** Of a request. */
  model: string | null;
}

export interface DueView extends WalletDue {
  /** Every transaction signed for the batch, the oldest first. */
  transactions: BatchTransaction[];
  /** In the order of the line's tree: the oldest first. */
  collected: DueReceipt[];
  next: string | null;
}

const queue = 'billing';

export const dueContracts = {
  listDues: defineRpc<ListDuesRequest, DueList>({
    subject: 'billing.v1.due.list',
    queue,
    timeoutMs: 5_000,
    request: ListDuesRequest,
  }),
  showDue: defineRpc<ShowDueRequest, DueView>({
    subject: 'billing.v1.due.show',
    queue,
    timeoutMs: 5_000,
    request: ShowDueRequest,
  }),
};
