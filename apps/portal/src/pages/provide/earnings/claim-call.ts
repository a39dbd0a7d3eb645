import { encodeFunctionData, parseAbi } from 'viem';
import type { Address, Hex } from 'viem';
import type { Earnings } from './use-earnings';

const settlement = parseAbi(['function claim(address provider, uint256 cumulative, bytes32[] proof)']);

/** The call that has the contract pay out: all that was ever earned, less what it paid before. */
export function claimCall({ provider, cumulative, proof }: NonNullable<Earnings['claim']>): Hex {
  const args = [provider as Address, BigInt(cumulative), proof as Hex[]] as const;
  return encodeFunctionData({ abi: settlement, functionName: 'claim', args });
}
