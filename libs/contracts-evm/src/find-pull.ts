import type { Provider } from 'ethers';
import { settlementAt } from './settlement.binding';
import type { Settlement } from './settlement.binding';

/** Which payment to look for, and where. */
interface PullSearch {
  payer: string;
  /** In base units: the pull wanted is the one that brought the payer's total up to it or across. */
  cumulative: bigint;
  firstBlock: number;
  lastBlock: number;
}

/** What most public servers allow in one `eth_getLogs`. */
const BLOCKS_PER_CALL = 10_000;
const FEWEST_BLOCKS_PER_CALL = 100;
const MAX_CALLS = 60;

/**
 * Looks for the transaction that completed a payment, newest blocks first. It is a convenience, so it gives up rather
 * than fail: a server that refuses wide ranges is asked for narrower ones, and {@link MAX_CALLS} calls are the most.
 * @returns the transaction's hash, or null when it was not found
 */
export async function findPull(
  provider: Provider,
  address: string,
  search: PullSearch,
): Promise<string | null> {
  const contract = settlementAt(address, provider);
  let [toBlock, width] = [search.lastBlock, BLOCKS_PER_CALL];
  for (let calls = 0; calls < MAX_CALLS && toBlock >= search.firstBlock; calls += 1) {
    const fromBlock = Math.max(search.firstBlock, toBlock - width + 1);
    try {
      const found = await pullWithin(contract, provider, search, { fromBlock, toBlock });
      if (found) return found;
      toBlock = fromBlock - 1;
    } catch {
      width = Math.floor(width / 10);
      if (width < FEWEST_BLOCKS_PER_CALL) return null;
    }
  }
  return null;
}

async function pullWithin(
  contract: Settlement,
  provider: Provider,
  { payer, cumulative }: PullSearch,
  range: { fromBlock: number; toBlock: number },
): Promise<string | undefined> {
  const topics = contract.interface.encodeFilterTopics('Pulled', [null, payer]);
  const logs = await provider.getLogs({ address: await contract.getAddress(), topics, ...range });
  const completing = logs.find((log) => {
    const event = contract.interface.parseLog(log);
    if (!event) return false;
    const { amount, pulled } = event.args as unknown as { amount: bigint; pulled: bigint };
    return pulled >= cumulative && pulled - amount < cumulative;
  });
  return completing?.transactionHash;
}
