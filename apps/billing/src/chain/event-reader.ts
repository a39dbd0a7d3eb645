import { settlementAt } from '@svc/contracts-evm';
import { isError } from 'ethers';
import type { Log, LogDescription } from 'ethers';
import type { SettlementEvent } from './block';
import type { ChainConnection } from './chain-connection';

/** Servers bound the range of one query, some at 1,000 blocks. */
const MOST_BLOCKS_PER_CALL = 1_000;

const KINDS: Readonly<Record<string, SettlementEvent['kind']>> = {
  Pulled: 'pulled',
  PullFailed: 'pull_failed',
  BatchSettled: 'batch_settled',
  Paid: 'paid',
  PayoutFailed: 'payout_failed',
};

/** Reads what the settlement contract said. By range: filters that a server keeps die silently. */
export class EventReader {
  constructor(private readonly connection: ChainConnection) {}

  /** Events of the blocks from one number to another, in order. @throws ethers' errors when the server does not answer */
  async between(fromBlock: number, toBlock: number): Promise<SettlementEvent[]> {
    const provider = await this.connection.open();
    const address = this.connection.options.settlement;
    const contract = settlementAt(address, provider);
    const events: SettlementEvent[] = [];
    let width = MOST_BLOCKS_PER_CALL;
    for (let first = fromBlock; first <= toBlock;) {
      const last = Math.min(toBlock, first + width - 1);
      try {
        const logs = await provider.getLogs({ address, fromBlock: first, toBlock: last });
        for (const log of logs) {
          const event = eventOf(log, contract.interface.parseLog(log));
          if (event) events.push(event);
        }
        first = last + 1;
      } catch (error) {
        if (isError(error, 'TIMEOUT') || isError(error, 'NETWORK_ERROR') || width === 1) throw error;
        // It may be too much for one answer.
        width = Math.max(1, Math.floor(width / 10));
      }
    }
    return events;
  }
}

function eventOf(log: Log, description: LogDescription | null): SettlementEvent | undefined {
  const kind = description ? KINDS[description.name] : undefined;
  if (!description || !kind) return undefined;
  const args = description.args.toObject() as {
    batchId?: string;
    payer?: string;
    provider?: string;
    amount: bigint;
  };
  return {
    block: { number: log.blockNumber, hash: log.blockHash.toLowerCase() },
    logIndex: log.index,
    txHash: log.transactionHash.toLowerCase(),
    kind,
    batchId: args.batchId?.toLowerCase(),
    wallet: (args.payer ?? args.provider)?.toLowerCase(),
    amount: args.amount,
  };
}
