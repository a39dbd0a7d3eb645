import { getAddress } from 'ethers';
import type { BlockTag, Provider } from 'ethers';
import { ChainError } from './chain-error';
import { decodePositions, encodePositionsOf } from './positions-codec';
import { settlementAt } from './settlement.binding';

/** What to read, and as of when. */
interface MeansQuery {
  /** The token the settlement contract must be collecting. */
  usdc: string;
  settlement: string;
  /** Addresses, answered in their order. */
  wallets: readonly string[];
  /** A block number, or "latest". Above {@link WALLETS_PER_CALL} wallets only a number gives one consistent view. */
  blockTag: BlockTag;
}

/** A wallet's means at one block, in base units. What the contract can still pull is min(balance, allowance). */
export interface WalletMeans {
  wallet: string;
  balance: bigint;
  /** What the wallet lets the settlement contract spend. */
  allowance: bigint;
  /** All the settlement contract ever pulled from the wallet. */
  pulled: bigint;
}

/** How many wallets one `eth_call` reads: about 15,000 gas each, far below what nodes allow for a call. */
export const WALLETS_PER_CALL = 500;
/** More wait for each other at the server: with very many wallets, the last ones for longer than a call may take. */
export const CALLS_AT_ONCE = 8;

/**
 * Reads balance, allowance and pulled total of many wallets: one `eth_call` per {@link WALLETS_PER_CALL} wallets, each
 * answered from a single block; {@link CALLS_AT_ONCE} at a time.
 * @throws ChainError `no_contract` when nothing is deployed at `settlement` at that block, `wrong_token` when it
 *   collects another token than `usdc`; ethers' own errors when the server does not answer or lacks the block
 */
export async function readMeans(provider: Provider, query: MeansQuery): Promise<WalletMeans[]> {
  const { wallets } = query;
  const readings: WalletMeans[] = [];
  while (readings.length < wallets.length) {
    const firsts = Array.from(
      { length: CALLS_AT_ONCE },
      (_, call) => readings.length + call * WALLETS_PER_CALL,
    );
    const slices = firsts
      .map((first) => wallets.slice(first, first + WALLETS_PER_CALL))
      .filter((slice) => slice.length > 0);
    const answers = await Promise.all(slices.map((slice) => readSlice(provider, query, slice)));
    for (const answer of answers) readings.push(...answer);
  }
  return readings;
}

async function readSlice(
  provider: Provider,
  { usdc, settlement, blockTag }: MeansQuery,
  wallets: readonly string[],
): Promise<WalletMeans[]> {
  const { selector } = settlementAt(settlement, provider).positionsOf.fragment;
  const data = encodePositionsOf(selector, wallets);
  const answer = await provider.call({ to: settlement, data, blockTag });
  if (answer === '0x') {
    throw new ChainError(
      'no_contract',
      `no settlement contract at ${settlement} at block ${String(blockTag)}`,
    );
  }
  const { token, positions } = decodePositions(answer, wallets.length);
  if (token !== usdc.toLowerCase()) {
    throw new ChainError(
      'wrong_token',
      `the settlement contract at ${settlement} collects ${getAddress(token)}, not ${usdc}`,
    );
  }
  return positions.map((position, index) => ({ wallet: wallets[index] as string, ...position }));
}
