import { isBaseUnits, isUsdc } from '@svc/money';
import { isHexString } from 'ethers';
import type { CreditReceipt, ReceiptDocument, ReceiptSettlement, UsageReceipt } from '@svc/contracts';
import { ReceiptError } from './receipt-error';

/** What a field must be, in words that complete "is not …". */
interface Form {
  accepts(value: unknown): boolean;
  words: string;
}

/** A tree deeper than this has more leaves than there are receipts. */
const MAX_PROOF_NODES = 64;

const matching = (pattern: RegExp, words: string): Form => ({
  accepts: (value) => typeof value === 'string' && pattern.test(value),
  words,
});
const wholeFrom = (least: number): Form => ({
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  words: `a whole number of at least ${least}`,
});
const isWord = (value: unknown) => isHexString(value, 32);

const text = matching(/^\P{Surrogate}{1,1024}$/u, 'a text of 1 to 1,024 characters');
/** Other ways to write the same amount would be other receipts: the leaf is made of the text. */
const usdc: Form = {
  accepts: (value) => isUsdc(value) && /\.[0-9]{6}$/.test(value),
  words: 'an amount in USDC with six decimals',
};
const time = matching(
  /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{6}Z$/,
  'a time in UTC with microseconds',
);
const price: Form = { accepts: isBaseUnits, words: 'a price in base units per million tokens' };
const address: Form = { accepts: (value) => isHexString(value, 20), words: 'an EVM address' };
const word: Form = { accepts: isWord, words: '32 bytes in hex' };
const total: Form = {
  accepts: (value) =>
    typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) < 2n ** 256n,
  words: 'a total in base units',
};
const proof: Form = {
  accepts: (value) => Array.isArray(value) && value.length <= MAX_PROOF_NODES && value.every(isWord),
  words: `a list of at most ${MAX_PROOF_NODES} nodes of 32 bytes in hex`,
};

const usageForms: Record<keyof UsageReceipt, Form> = {
  type: matching(/^usage$/, '"usage"'),
  id: text,
  wallet: address,
  key_id: text,
  model: text,
  provider: text,
  offer_id: text,
  input_price_per_mtok: price,
  output_price_per_mtok: price,
  prompt_tokens: wholeFrom(0),
  completion_tokens: wholeFrom(0),
  token_source: text,
  attempts: wholeFrom(0),
  finish_reason: text,
  held_usdc: usdc,
  cost_usdc: usdc,
  created_at: time,
};
const creditForms: Record<keyof CreditReceipt, Form> = {
  type: matching(/^(refund|credit)$/, '"usage", "refund" or "credit"'),
  id: text,
  wallet: address,
  amount_usdc: usdc,
  reason: text,
  created_at: time,
};
const settlementForms: Record<keyof ReceiptSettlement, Form> = {
  chain_id: wholeFrom(1),
  contract: address,
  batch_id: word,
  receipt_proof: proof,
  payer: address,
  cumulative: total,
  payer_root: word,
  batch_proof: proof,
};
const anything: Form = { accepts: () => true, words: 'there' };

/**
 * Takes a parsed file for a receipt. Unknown fields are refused: nothing would stand for what they say.
 * @throws ReceiptError `malformed`, naming the field
 */
export function readReceiptDocument(value: unknown): ReceiptDocument {
  const document = requireFields('', value, { receipt: anything, settlement: anything });
  const isUsage = isRecord(document.receipt) && document.receipt.type === 'usage';
  requireFields('receipt', document.receipt, isUsage ? usageForms : creditForms);
  if (document.settlement !== null) requireFields('settlement', document.settlement, settlementForms);
  return document as unknown as ReceiptDocument;
}

function requireFields(path: string, value: unknown, forms: Record<string, Form>): Record<string, unknown> {
  if (!isRecord(value)) throw new ReceiptError('malformed', `${path || 'the file'} is not an object`);
  const at = (name: string) => (path ? `${path}.${name}` : name);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(forms, name));
  if (unknown !== undefined)
    throw new ReceiptError('malformed', `${at(unknown)} is not a field of a receipt`);
  for (const [name, form] of Object.entries(forms)) {
    if (!Object.hasOwn(value, name)) throw new ReceiptError('malformed', `${at(name)} is missing`);
    if (!form.accepts(value[name])) throw new ReceiptError('malformed', `${at(name)} is not ${form.words}`);
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
