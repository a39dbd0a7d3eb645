import { isChainError } from '@svc/contracts-evm';
import { StepError } from '../step-error';

interface ChainFailure {
  code?: unknown;
  shortMessage?: string;
  info?: { error?: { message?: string } };
  error?: { message?: string };
}

/** What the chain's server said to a call that it refused; undefined when it said nothing. */
export function serverWords(error: unknown): string | undefined {
  const { info, error: inner } = error as ChainFailure;
  return info?.error?.message ?? inner?.message;
}

/** One line for a chain that does not answer as it should, without the server's URL: its key may be in it. */
export function failureWords(error: unknown): string {
  const { code, shortMessage } = error as ChainFailure;
  return serverWords(error) ?? shortMessage ?? String(code ?? error);
}

/** The error as its operator can use it; those that nobody foresaw as they are. */
export function inOperatorsTerms(error: unknown): unknown {
  if (isChainError(error, 'wrong_chain')) {
    return new StepError(`CHAIN_RPC_URL does not fit CHAIN_ID: ${error.message}`);
  }
  // Errors of ethers, and of connections that nobody takes.
  const isOfChain = typeof (error as ChainFailure).code === 'string' && !('path' in (error as object));
  if (!isOfChain) return error;
  return new StepError(
    `the server at CHAIN_RPC_URL fails (${failureWords(error)}). It is safe to run this again`,
  );
}
