import { Injectable } from '@nestjs/common';
import type { ChainJobState } from '@svc/contracts';
import type { BlockRef } from '../chain/block';
import { ChainStore } from '../chain/chain.store';
import { isUnreadable } from '../chain/chain-connection';
import { failpoint } from '../failpoint';
import { NO_RECEIPTS } from './batch';
import type { OpenBatch } from './batch.store';
import { OutcomeStore } from './outcome.store';
import { ChainGateway } from './signer/chain-gateway';

/** Where the chain has a batch. `conflict`: it has other dues under its id. */
type Sighting = 'absent' | Exclude<ChainJobState, 'signed'> | 'conflict';

/** Finds out what became of batches. The truth is the root that the contract keeps, never a receipt that was waited for. */
@Injectable()
export class BatchTracker {
  constructor(
    private readonly chain: ChainGateway,
    private readonly positions: ChainStore,
    private readonly outcomes: OutcomeStore,
  ) {}

  /** Looks at the chain's head and at the safe depth that wallets were last read at, and writes down what they show. */
  async observe({ batchId, root, state }: OpenBatch): Promise<Sighting> {
    const atHead = await this.rootAt(batchId, 'latest');
    if (atHead !== root) {
      if (state !== 'signed') await this.outcomes.reopen(batchId);
      return atHead === NO_RECEIPTS ? 'absent' : 'conflict';
    }
    if (state !== 'mined') await this.outcomes.mined(batchId);
    const safe = (await this.positions.position())?.safe;
    if (safe?.hash === undefined || (await this.rootAt(batchId, safe.hash)) !== root) return 'mined';
    return (await this.settle(batchId, { number: safe.number, hash: safe.hash })) ? 'settled' : 'mined';
  }

  /** Whether the newest block shows the batch. */
  async hasLanded({ batchId, root }: Pick<OpenBatch, 'batchId' | 'root'>): Promise<boolean> {
    return (await this.rootAt(batchId, 'latest')) === root;
  }

  private async settle(batchId: string, safe: BlockRef): Promise<boolean> {
    const failed = await this.outcomes.failureBlock(batchId, safe.number);
    // What cannot be told any more is held against nobody: who did not pay is asked again.
    const excused = failed !== undefined && (await this.chain.isTokenStopped(failed)) !== false;
    const txHash = await this.outcomes.transactionOf(batchId);
    const gasCost = txHash === undefined ? undefined : await this.chain.costOf(txHash);
    const isSettled = await this.outcomes.settled(batchId, safe.hash, { excused, txHash, gasCost });
    failpoint('settlement.settled');
    return isSettled;
  }

  private async rootAt(batchId: string, block: string): Promise<string> {
    try {
      return await this.chain.batchRoot(batchId, block);
    } catch (error) {
      // A block before the contract, or one that is no longer on the chain.
      if (block !== 'latest' && isUnreadable(error)) return NO_RECEIPTS;
      throw error;
    }
  }
}
