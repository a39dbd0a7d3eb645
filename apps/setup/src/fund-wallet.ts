import { testUsdcAt } from '@svc/contracts-evm';
import { Wallet } from 'ethers';
import type { JsonRpcProvider, TransactionResponse } from 'ethers';
import { isDevelopmentNode } from './development-node';

/** Below it the wallet is topped up: 1,000 USDC. */
const LOW_WATER = 1_000_000_000n;
/** What the wallet lets the settlement contract spend: 1,000,000 USDC. */
const ALLOWANCE = 1_000_000_000_000n;
const BLOCK_WAIT_MS = 30_000;

interface FundingTarget {
  privateKey: string;
  usdc: string;
  settlement: string;
}

/**
 * Gives the wallet test USDC and lets the settlement contract spend it, as far as it lacks either.
 * @returns how many transactions that took
 * @throws ethers' errors; among them INSUFFICIENT_FUNDS when the wallet cannot pay for gas
 */
export async function fundWallet(provider: JsonRpcProvider, target: FundingTarget): Promise<number> {
  const wallet = new Wallet(target.privateKey, provider);
  const token = testUsdcAt(target.usdc, wallet);
  let sent = 0;
  if ((await token.balanceOf(wallet.address)) < LOW_WATER) {
    await inBlock(token.faucet(wallet.address, await token.FAUCET_CAP()));
    sent += 1;
  }
  if ((await token.allowance(wallet.address, target.settlement)) < ALLOWANCE / 2n) {
    await inBlock(token.approve(target.settlement, ALLOWANCE));
    sent += 1;
  }
  return sent;
}

/**
 * Mines empty blocks on a development node, so that what was just sent lies at the depth the watcher asks for.
 * @returns whether the node could: others mine when they mine
 */
export async function mineBlocks(provider: JsonRpcProvider, count: number): Promise<boolean> {
  if (!(await isDevelopmentNode(provider))) return false;
  await provider.send('anvil_mine', [`0x${count.toString(16)}`]);
  return true;
}

async function inBlock(sending: Promise<TransactionResponse>): Promise<void> {
  await (await sending).wait(1, BLOCK_WAIT_MS);
}
