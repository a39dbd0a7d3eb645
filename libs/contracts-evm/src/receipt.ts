import { hashTwice } from './merkle';

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

/** Parts the leaves of this tree from whatever else may be hashed twice, and this form of receipts from later ones. */
const LEAF_PREFIX = 'svc-receipt-v1\n';

/**
 * A receipt's leaf in its payer's tree: keccak256(keccak256(utf8("svc-receipt-v1\n" + canonical JSON))).
 * @throws TypeError as {@link canonicalReceipt}
 */
export function receiptLeaf(receipt: Receipt): string {
  return hashTwice(Buffer.from(LEAF_PREFIX + canonicalReceipt(receipt), 'utf8'));
}

/**
 * A flat object in the canonical form of RFC 8785: no spaces, names in the order of their UTF-16 units.
 * @throws TypeError naming a field that holds anything but a string, a whole number below 2^53 or a boolean, or text
 *   that no UTF-8 stands for
 */
export function canonicalReceipt(receipt: object): string {
  const fields = Object.entries(receipt).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, value]) => `${quote(name, name)}:${canonicalValue(name, value)}`).join(',')}}`;
}

function canonicalValue(name: string, value: unknown): string {
  if (typeof value === 'string') return quote(name, value);
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return JSON.stringify(value);
  throw new TypeError(`receipt.${name} is no string, whole number or boolean`);
}

/** JSON's own way of writing a string is RFC 8785's, but for halves of surrogate pairs, which it lets through. */
function quote(name: string, text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError(`receipt.${name} holds half a surrogate pair`);
  return JSON.stringify(text);
}
