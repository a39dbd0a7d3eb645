import { Injectable } from '@nestjs/common';
import type { ReceiptSettlement } from '@svc/contracts';
import { dueLeaf, merkleTree } from '@svc/contracts-evm';
import type { Due, MerkleTree } from '@svc/contracts-evm';
import { BillingConfig } from '../billing.config';
import { Recent } from '../recent';
import { BatchProofStore } from './batch-proof.store';
import type { ReceiptRow } from './receipt-row';
import { ReceiptStore } from './receipt.store';

/** The tree of a due's receipts: the place of each by kind and id. */
interface ReceiptTree {
  readonly tree: MerkleTree;
  readonly places: ReadonlyMap<string, number>;
}

/** Some megabytes: a tree of 2,000 receipts takes half of one. */
const MOST_TREES = 64;

/**
 * Proves that receipts are on chain. Keeps the trees that were asked for last: they never change, and hashing one takes up to
 * a tenth of a second.
 */
@Injectable()
export class ReceiptProofs {
  private readonly trees = new Recent<ReceiptTree>(MOST_TREES);
  private readonly batchTrees = new Recent<MerkleTree>(MOST_TREES);

  constructor(
    private readonly config: BillingConfig,
    private readonly receipts: ReceiptStore,
    private readonly batches: BatchProofStore,
  ) {}

  /** Where a receipt stands on chain; null until its batch is there. */
  async settlementOf(row: ReceiptRow): Promise<ReceiptSettlement | null> {
    const { wallet, batch_id: batchId } = row;
    if (batchId === null) return null;
    const { onChain, dues } = await this.batches.find(batchId);
    if (!onChain) return null;
    const position = dues.findIndex(({ payer }) => payer === wallet);
    const due = dues[position];
    if (!due) throw new Error(`batch ${batchId} has no due of ${wallet}`);
    const { tree, places } = await this.treeOf(wallet, batchId);
    const batch = await this.batchTree(batchId, dues);
    return {
      chain_id: this.config.chainId,
      contract: this.config.chainSettlementAddress,
      batch_id: batchId,
      receipt_proof: tree.proof(places.get(`${row.kind} ${row.receipt_id}`) ?? -1),
      payer: wallet,
      cumulative: String(due.cumulative),
      payer_root: due.root,
      batch_proof: batch.proof(position),
    };
  }

  private treeOf(wallet: string, batchId: string): Promise<ReceiptTree> {
    return this.trees.get(`${batchId} ${wallet}`, async () => {
      const leaves = await this.receipts.treeOf(wallet, batchId);
      return {
        tree: merkleTree(leaves.map(({ leaf }) => leaf)),
        places: new Map(leaves.map(({ kind, id }, place) => [`${kind} ${id}`, place])),
      };
    });
  }

  private batchTree(batchId: string, dues: readonly Due[]): Promise<MerkleTree> {
    return this.batchTrees.get(batchId, () => Promise.resolve(merkleTree(dues.map(dueLeaf))));
  }
}
