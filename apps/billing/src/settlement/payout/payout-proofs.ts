import { Injectable } from '@nestjs/common';
import { merkleTree, payoutLeaf } from '@svc/contracts-evm';
import type { MerkleTree } from '@svc/contracts-evm';
import { Recent } from '../../recent';
import { PayoutStore } from './payout.store';

/** What a provider may claim by a root. */
interface ProvenLine {
  readonly cumulative: bigint;
  readonly proof: string[];
}

interface PayoutTree {
  readonly tree: MerkleTree;
  readonly lines: ReadonlyMap<string, { readonly place: number; readonly cumulative: bigint }>;
}

/** The newest root, and the one before, which can be claimed until the chain has the newest. */
const MOST_TREES = 2;

/**
 * Proves providers' lines in a root. Keeps the tree, which never changes: reading and hashing everybody's lines for each who asks would
 * hold up the ledger.
 */
@Injectable()
export class PayoutProofs {
  private readonly trees = new Recent<PayoutTree>(MOST_TREES);

  constructor(private readonly store: PayoutStore) {}

  /** A provider's line; undefined when it has none in that root. */
  async lineOf(payoutId: string, provider: string): Promise<ProvenLine | undefined> {
    const { tree, lines } = await this.trees.get(payoutId, () => this.treeOf(payoutId));
    const line = lines.get(provider);
    return line && { cumulative: line.cumulative, proof: tree.proof(line.place) };
  }

  private async treeOf(payoutId: string): Promise<PayoutTree> {
    const lines = await this.store.linesOf(payoutId);
    return {
      tree: merkleTree(lines.map(payoutLeaf)),
      lines: new Map(lines.map(({ provider, cumulative }, place) => [provider, { place, cumulative }])),
    };
  }
}
