import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { ShowReceiptRequest } from '@svc/contracts';
import { dueLeaf, merkleProof } from '@svc/contracts-evm';
import type { ReceiptDocument, ReceiptSettlement } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import type { BillingConfig } from '../billing.config';
import { KeyService } from '../key/key.service';
import { BILLING_CONFIG } from '../tokens';
import { BatchProofStore } from './batch-proof.store';
import { ProjectionService } from './projection.service';
import { receiptOf } from './receipt-row';
import type { ReceiptRow } from './receipt-row';
import { ReceiptStore } from './receipt.store';

const NOT_FOUND = 404;

/** Receipts as their wallet's owner gets them, with the proof that they are paid for on chain. */
@Injectable()
export class ReceiptService {
  constructor(
    @Inject(BILLING_CONFIG) private readonly config: BillingConfig,
    private readonly keys: KeyService,
    private readonly store: ReceiptStore,
    private readonly batches: BatchProofStore,
    private readonly projection: ProjectionService,
  ) {}

  /**
   * @throws SvcError invalid_request (404) when the wallet has no such receipt, whoever else has; invalid_api_key,
   *   account_suspended when asked by key
   */
  async show(request: ShowReceiptRequest): Promise<ReceiptDocument> {
    const { keyHash, requestId, kind = 'usage' } = request;
    const wallet = keyHash === undefined ? request.wallet : (await this.keys.check(keyHash)).wallet;
    if (wallet === undefined) throw unknownReceipt();
    const row = await this.find(wallet, requestId, kind);
    if (!row) throw unknownReceipt();
    return { receipt: receiptOf(row), settlement: await this.settlementOf(row) };
  }

  /** A receipt is made shortly after its charge; who asks before that has it made now. */
  private async find(wallet: string, id: string, kind: ReceiptRow['kind']): Promise<ReceiptRow | undefined> {
    const row = await this.store.find(wallet, id, kind);
    if (row || !(await this.batches.isDue(wallet, id, kind))) return row;
    await this.projection.project('receipts');
    return this.store.find(wallet, id, kind);
  }

  private async settlementOf({
    wallet,
    receipt_id,
    kind,
    batch_id,
  }: ReceiptRow): Promise<ReceiptSettlement | null> {
    if (batch_id === null) return null;
    const { onChain, dues } = await this.batches.find(batch_id);
    if (!onChain) return null;
    const position = dues.findIndex(({ payer }) => payer === wallet);
    const leaves = await this.store.treeOf(wallet, batch_id);
    const index = leaves.findIndex((leaf) => leaf.id === receipt_id && leaf.kind === kind);
    const due = dues[position];
    if (!due) throw new Error(`batch ${batch_id} has no due of ${wallet}`);
    // Two trees, each some milliseconds: others have their turn between.
    const receiptProof = merkleProof(
      leaves.map(({ leaf }) => leaf),
      index,
    );
    await setImmediate();
    return {
      chain_id: this.config.chainId,
      contract: this.config.chainSettlementAddress,
      batch_id,
      receipt_proof: receiptProof,
      payer: wallet,
      cumulative: String(due.cumulative),
      payer_root: due.root,
      batch_proof: merkleProof(dues.map(dueLeaf), position),
    };
  }
}

function unknownReceipt(): Error {
  return invalidRequest('There is no such receipt.', undefined, NOT_FOUND);
}
