/**
 * Why a receipt is refused:
 * - `malformed`: a field is missing, unknown or not of its form
 * - `not_settled`: the receipt says itself that no batch of it is on chain yet
 * - `other_contract`, `other_chain`: it names another contract or chain than the verifier trusts
 * - `other_payer`: the receipt's wallet is not the one its batch charges
 * - `wrong_price`: the cost does not follow from tokens and prices, or is above what was held
 * - `unknown_batch`: the contract never saw the batch
 * - `not_in_batch`: the proofs do not lead to the root the contract keeps for the batch
 */
export type ReceiptErrorCode =
  | 'malformed'
  | 'not_settled'
  | 'other_contract'
  | 'other_chain'
  | 'other_payer'
  | 'wrong_price'
  | 'unknown_batch'
  | 'not_in_batch';

/** A receipt that proves nothing; `code` says why, the message says it to people. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';

  constructor(
    readonly code: ReceiptErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Whether `error` is a {@link ReceiptError}; holds across copies of this library. */
export function isReceiptError(error: unknown): error is ReceiptError {
  return error instanceof Error && error.name === 'ReceiptError';
}
