import type { Receipt } from '@svc/contracts';
import { formatUsdc } from '@svc/money';

/** What a receipt's document is made of, as the ledger has it; amounts in base units, as text. */
export interface ReceiptRow {
  readonly wallet: string;
  readonly receipt_id: string;
  readonly kind: 'usage' | 'refund' | 'credit';
  /** Negative for refunds and credits. */
  readonly amount: string;
  /** UTC with microseconds. */
  readonly created_at: string;
  readonly batch_id: string | null;
  /** Of a usage receipt. */
  readonly key_id: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly offer_id: string | null;
  readonly input_price_per_mtok: string | null;
  readonly output_price_per_mtok: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly token_source: string | null;
  readonly attempts: number | null;
  readonly finish_reason: string | null;
  readonly held: string | null;
  /** Of a refund or a credit. */
  readonly reason: string | null;
}

/**
 * The receipt as its wallet's owner gets it, and as it is hashed into its batch: the one place that says which field
 * comes from where. What is here once cannot change for receipts that are on chain already.
 * @throws Error when the row lacks what its kind needs
 */
export function receiptOf(row: ReceiptRow): Receipt {
  const common = { id: row.receipt_id, wallet: row.wallet, created_at: row.created_at };
  if (row.kind !== 'usage') {
    const amount_usdc = formatUsdc(-BigInt(row.amount));
    return { type: row.kind, ...common, amount_usdc, reason: need(row, 'reason') };
  }
  return {
    type: 'usage',
    ...common,
    key_id: need(row, 'key_id'),
    model: need(row, 'model'),
    provider: need(row, 'provider'),
    offer_id: need(row, 'offer_id'),
    input_price_per_mtok: need(row, 'input_price_per_mtok'),
    output_price_per_mtok: need(row, 'output_price_per_mtok'),
    prompt_tokens: need(row, 'prompt_tokens'),
    completion_tokens: need(row, 'completion_tokens'),
    token_source: need(row, 'token_source'),
    attempts: need(row, 'attempts'),
    finish_reason: need(row, 'finish_reason'),
    held_usdc: formatUsdc(BigInt(need(row, 'held'))),
    cost_usdc: formatUsdc(BigInt(row.amount)),
  };
}

function need<Field extends keyof ReceiptRow>(row: ReceiptRow, field: Field): NonNullable<ReceiptRow[Field]> {
  const value = row[field];
  if (value === null) throw new Error(`receipt ${row.receipt_id} has no ${field}`);
  return value;
}
