import { encodeFunctionData, parseAbi, parseEventLogs } from 'viem';
import type { Address, Hex, Log } from 'viem';
import type { TransactionReceipt } from '../../../wallets/connected-wallet';
import type { Earnings } from './use-earnings';

const settlement = parseAbi([
  'function claim(address provider, uint256 cumulative, bytes32[] proof)',
  'event Paid(address indexed provider, uint256 amount, uint256 paid, uint256 cumulative)',
]);

/** The call that has the contract pay out: all that was ever earned, less what it paid before. */
export function claimCall({ provider, cumulative, proof }: NonNullable<Earnings['claim']>): Hex {
  const args = [provider as Address, BigInt(cumulative), proof as Hex[]] as const;
  return encodeFunctionData({ abi: settlement, functionName: 'claim', args });
}

/** What the contract has paid in a claim, base units: it pays less, or nothing, where the treasury has too little or the day's limit is reached. */
export function paidIn({ logs }: TransactionReceipt, contract: string): bigint {
  const own = logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
  const [paid] = parseEventLogs({ abi: settlement, eventName: 'Paid', logs: own as unknown as Log[] });
  return paid?.args.amount ?? 0n;
}
