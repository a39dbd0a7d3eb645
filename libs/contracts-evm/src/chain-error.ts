import { isError } from 'ethers';

/**
 * What can be wrong with a chain or an address it was asked about, before any transaction:
 * - `wrong_chain`: the RPC server answers for another chain id than configured
 * - `no_contract`: no code at the address at that block (wrong address, or a block before the deployment)
 * - `wrong_token`: the settlement contract collects another token than the configured one
 */
export type ChainErrorCode = 'wrong_chain' | 'no_contract' | 'wrong_token';

/** A configured chain, contract or token is not what it should be; `code` says which. */
export class ChainError extends Error {
  override readonly name = 'ChainError';

  constructor(
    readonly code: ChainErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Whether `error` is a {@link ChainError} of this code; holds across copies of this library. */
export function isChainError(error: unknown, code: ChainErrorCode): error is ChainError {
  return error instanceof Error && error.name === 'ChainError' && (error as ChainError).code === code;
}

/** Whether what is at an address does not know the call, by ethers' error: it reverts, or answers in another form. */
export function isUnknownCall(error: unknown): boolean {
  return isError(error, 'CALL_EXCEPTION') || isError(error, 'BAD_DATA');
}
