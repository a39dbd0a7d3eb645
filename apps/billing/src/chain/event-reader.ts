import { settlementAt } from '@svc/contracts-evm';
import { isError } from 'ethers';
import type { Filter, FilterByBlockHash, Log, LogDescription } from 'ethers';
import type { BlockRef, SettlementEvent } from './block';
import type { ChainConnection } from './chain-connection';

/** Servers bound the range of one query, some at 1,000 blocks. */
const MOST_BLOCKS_PER_CALL = 1_000;
const BLOCKS_AT_ONCE = 16;

/** Not `PayoutFailed`: nothing is made of it, and whoever the token refuses could have a row written with each claim, for ever. */
const KINDS: Readonly<Record<string, SettlementEvent['kind']>> = {
  Pulled: 'pulled',
  PullFailed: 'pull_failed',
  BatchSettled: 'batch_settled',
  Paid: 'paid',
};

/** Reads what the settlement contract said. By asking: filters that a server keeps die silently. */
export class EventReader {
  constructor(private readonly connection: ChainConnection) {}

  /**
   * Events of these blocks, in order; one call a block. By hash (EIP-234): a server that does not have the block says so, where
   * one that lags would answer a range with the events of what it has, as if there were no others.
   * @throws ethers' errors when the server does not answer, or does not have a block
   */
  async inBlocks(blocks: readonly BlockRef[]): Promise<SettlementEvent[]> {
    const events: SettlementEvent[] = [];
    for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
      const slice = blocks.slice(first, first + BLOCKS_AT_ONCE);
      events.push(...(await Promise.all(slice.map(({ hash }) => this.read({ blockHash: hash })))).flat());
    }
    return events;
  }

  /**
   * Events of the blocks from one number to another, in order; one call for up to 1,000 blocks. Only for blocks so old that every
   * server has them: many answer for a range beyond their newest block as far as they can, and do not say so.
   * @throws ethers' errors when the server does not answer
   */
  async between(fromBlock: number, toBlock: number): Promise<SettlementEvent[]> {
    const events: SettlementEvent[] = [];
    let width = MOST_BLOCKS_PER_CALL;
    for (let first = fromBlock; first <= toBlock;) {
      const last = Math.min(toBlock, first + width - 1);
      try {
        events.push(...(await this.read({ fromBlock: first, toBlock: last })));
        first = last + 1;
      } catch (error) {
        if (isError(error, 'TIMEOUT') || isError(error, 'NETWORK_ERROR') || width === 1) throw error;
        // It may be too much for one answer.
        width = Math.max(1, Math.floor(width / 10));
      }
    }
    return events;
  }

  private async read(where: Filter | FilterByBlockHash): Promise<SettlementEvent[]> {
    const provider = await this.connection.open();
    const address = this.connection.options.settlement;
    const contract = settlementAt(address, provider);
    const logs = await provider.getLogs({ ...where, address });
    return logs.flatMap((log) => eventOf(log, contract.interface.parseLog(log)) ?? []);
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
