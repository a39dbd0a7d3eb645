import type { Receipt } from '@svc/contracts';
import { hashTwice } from './merkle';

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
  const values = receipt as Record<string, unknown>;
  // The order of names alone, which needs no comparison of ours.
  const names = Object.keys(values).sort();
  return `{${names.map((name) => `${quote(name, name)}:${canonicalValue(name, values[name])}`).join(',')}}`;
}

function canonicalValue(name: string, value: unknown): string {
  if (typeof value === 'string') return quote(name, value);
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  throw new TypeError(`receipt.${name} is no string, whole number or boolean`);
}

/** JSON's own way of writing a string is RFC 8785's, but for halves of surrogate pairs, which it lets through. */
function quote(name: string, text: string): string {
  if (!text.isWellFormed()) throw new TypeError(`receipt.${name} holds half a surrogate pair`);
  return JSON.stringify(text);
}
