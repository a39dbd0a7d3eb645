import { isError } from 'ethers';
import type { JsonRpcProvider } from 'ethers';

/** Wei: what has always been enough. */
const ONE_GWEI = 1_000_000_000n;
const QUANTITY = /^0x[0-9a-f]+$/i;
/** Of a method that a node does not have: JSON-RPC 2.0, EIP-1474, Besu. */
const UNKNOWN_METHOD = new Set([-32_601, -32_004, -32_604]);
/** Nodes and those in front of them that take another code say it in words. */
const UNKNOWN_METHOD_WORDS =
  /method\b.*\b(not (found|supported|available|enabled|implemented|allowed)|does not exist)|unsupported method/i;

/**
 * What the node suggests to pay beyond the base fee, wei; one gwei where it has no suggestion.
 * @throws ethers' errors where the node does not say: one that is too busy has a suggestion all the same
 */
export async function priorityFee(provider: JsonRpcProvider): Promise<bigint> {
  try {
    const suggestion: unknown = await provider.send('eth_maxPriorityFeePerGas', []);
    return typeof suggestion === 'string' && QUANTITY.test(suggestion) ? BigInt(suggestion) : ONE_GWEI;
  } catch (error) {
    if (isUnknownMethod(error)) return ONE_GWEI;
    throw error;
  }
}

function isUnknownMethod(error: unknown): boolean {
  if (isError(error, 'UNSUPPORTED_OPERATION')) return true;
  const { code, message } = (error as { error?: { code?: unknown; message?: unknown } }).error ?? {};
  if (UNKNOWN_METHOD.has(Number(code))) return true;
  return typeof message === 'string' && UNKNOWN_METHOD_WORDS.test(message);
}
