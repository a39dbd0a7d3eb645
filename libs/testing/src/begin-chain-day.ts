import type { JsonRpcProvider } from 'ethers';

const DAY_SECONDS = 86_400;

/** Puts a chain of the spec's own ahead to its next midnight (UTC), so that no cap of the day starts anew in the midst of a test. */
export async function beginChainDay(provider: JsonRpcProvider): Promise<void> {
  const { timestamp = 0 } = (await provider.getBlock('latest')) ?? {};
  await provider.send('evm_increaseTime', [DAY_SECONDS - (timestamp % DAY_SECONDS)]);
}
