import { isError } from 'ethers';

/**
 * What can be wrong with a chain or an address it was asked about, before any transaction:
 * - `wrong_chain`: the RPC server answers for another chain id than configured
 * - `no_contract`: no code at the address at that block (wrong address, or a block before the deployment)
 * - `wrong_token`: the settlement contract collects another token than the configured one
 * - `wrong_contract`: the books were kept for another settlement contract, token or chain than the configured ones
 */
type ChainErrorCode = 'wrong_chain' | 'no_contract' | 'wrong_token' | 'wrong_contract';

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

/**
 * Whether what is at an address does not know the call, by ethers' error: its code fails, or it answers in another form. Not where the
 * node alone has failed: it may have had too many questions.
 */
export function isUnknownCall(error: unknown): boolean {
  if (isError(error, 'CALL_EXCEPTION')) return isCodeFailure(error);
  // Where a node did not say which question it answers, the value is all that it said.
  return isError(error, 'BAD_DATA') && typeof error.value === 'string';
}

/** In these words nodes say that it was the contract's code that failed: Geth and its kin, Reth and anvil, Nethermind. */
const CODE_FAILED =
  /revert|out of ?gas|gas required exceeds|opcode|code ?size|stack|invalid jump|uint64 overflow|out of bounds|write protection|\bevm|vm execution/i;

/** And in these that it was themselves, though some of the words are the same ("evm timeout"). */
const NODE_FAILED = /too many|\b429\b|timeout|timed out|database|response size/i;

/** As JSON-RPC has it. */
interface NodeError {
  message?: unknown;
}

/**
 * Whether a call failed in the contract's own code. ethers takes whatever a node answers to a call for that, also that there were too
 * many, or that it is not ready.
 */
export function isCodeFailure(error: unknown): boolean {
  // What a contract says of its failure, it alone can have said.
  if (isError(error, 'CALL_EXCEPTION') && error.data !== null) return true;
  const { error: own, info } = error as { error?: NodeError; info?: { error?: NodeError } };
  const { message } = own ?? info?.error ?? {};
  if (typeof message !== 'string' || !CODE_FAILED.test(message)) return false;
  // A contract may say what it likes when it reverts.
  return /revert/i.test(message) || !NODE_FAILED.test(message);
}
