import { getAddress } from 'ethers';
import type { BlockTag, Provider } from 'ethers';
import { ChainError } from './chain-error';
import { settlementAt } from './settlement.binding';

/** What to read, and as of when. */
export interface SpendableQuery {
  /** The token the settlement contract must be collecting. */
  usdc: string;
  settlement: string;
  /** Addresses, answered in their order. */
  wallets: readonly string[];
  /** A block number, or "latest". Above {@link WALLETS_PER_CALL} wallets only a number gives one consistent view. */
  blockTag: BlockTag;
}

/** A wallet's means at one block, in base units. What the contract can still pull is min(balance, allowance). */
export interface SpendableReading {
  wallet: string;
  balance: bigint;
  /** What the wallet lets the settlement contract spend. */
  allowance: bigint;
  /** All the settlement contract ever pulled from the wallet. */
  pulled: bigint;
}

/** How many wallets one `eth_call` reads: about 15,000 gas each, far below what nodes allow for a call. */
export const WALLETS_PER_CALL = 500;

/**
 * Reads balance, allowance and pulled total of many wallets: one `eth_call` per {@link WALLETS_PER_CALL} wallets, each
 * answered from a single block.
 * @throws ChainError `no_contract` when nothing is deployed at `settlement` at that block, `wrong_token` when it
 *   collects another token than `usdc`; ethers' own errors when the server does not answer or lacks the block
 */
export async function readSpendable(provider: Provider, query: SpendableQuery): Promise<SpendableReading[]> {
  const calls: Promise<SpendableReading[]>[] = [];
  for (let first = 0; first < query.wallets.length; first += WALLETS_PER_CALL) {
    calls.push(readSlice(provider, query, query.wallets.slice(first, first + WALLETS_PER_CALL)));
  }
  return (await Promise.all(calls)).flat();
}

async function readSlice(
  provider: Provider,
  { usdc, settlement, blockTag }: SpendableQuery,
  wallets: readonly string[],
): Promise<SpendableReading[]> {
  const contract = settlementAt(settlement, provider);
  const data = contract.interface.encodeFunctionData('positionsOf', [wallets]);
  const answer = await provider.call({ to: settlement, data, blockTag });
  if (answer === '0x') {
    throw new ChainError(
      'no_contract',
      `no settlement contract at ${settlement} at block ${String(blockTag)}`,
    );
  }
  const [token, positions] = contract.interface.decodeFunctionResult('positionsOf', answer) as unknown as [
    string,
    [balance: bigint, allowance: bigint, pulled: bigint][],
  ];
  if (token !== getAddress(usdc)) {
    throw new ChainError(
      'wrong_token',
      `the settlement contract at ${settlement} collects ${token}, not ${usdc}`,
    );
  }
  return positions.map(([balance, allowance, pulled], index) => {
    const wallet = wallets[index] as string;
    return { wallet, balance, allowance, pulled };
  });
}
