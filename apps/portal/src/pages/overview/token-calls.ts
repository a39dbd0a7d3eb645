import { encodeFunctionData, parseAbi } from 'viem';
import type { Address, Hex } from 'viem';

const token = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function faucet(address to, uint256 amount)',
]);

/** The call by which a wallet lets `spender` take up to `amount` base units of its tokens; 0 takes it back. */
export function approveCall(spender: string, amount: bigint): Hex {
  return encodeFunctionData({ abi: token, functionName: 'approve', args: [spender as Address, amount] });
}

/** The call by which the test token gives itself away. */
export function faucetCall(to: string, amount: bigint): Hex {
  return encodeFunctionData({ abi: token, functionName: 'faucet', args: [to as Address, amount] });
}
