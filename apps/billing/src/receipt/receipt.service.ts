import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ReceiptDocument, ShowReceiptRequest } from '@svc/contracts';
import { noCapacity, notFound } from '@svc/errors';
import { KeyService } from '../key/key.service';
import { BatchProofStore } from './batch-proof.store';
import { ProjectionService } from './projection.service';
import { receiptOf } from './receipt-row';
import type { ReceiptRow } from './receipt-row';
import { ReceiptProofs } from './receipt-proofs';
import { ReceiptStore } from './receipt.store';

/** A receipt is made when every commit under way in the database's server is over: most are within milliseconds. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 25;

/** Receipts as their wallet's owner gets them, with the proof that they are paid for on chain. */
@Injectable()
export class ReceiptService {
  constructor(
    private readonly keys: KeyService,
    private readonly store: ReceiptStore,
    private readonly proofs: ReceiptProofs,
    private readonly batches: BatchProofStore,
    private readonly projection: ProjectionService,
  ) {}

  /**
   * @throws SvcError invalid_request (404) when the wallet has no such receipt, whoever else has; invalid_api_key,
   *   account_suspended when asked by key; no_capacity when the charge is there, but its receipt not yet
   */
  async show(request: ShowReceiptRequest): Promise<ReceiptDocument> {
    const { keyHash, requestId, kind = 'usage' } = request;
    const wallet = keyHash === undefined ? request.wallet : (await this.keys.check(keyHash)).wallet;
    if (wallet === undefined) throw unknownReceipt();
    const row = await this.find(wallet, requestId, kind);
    if (!row) throw unknownReceipt();
    return { receipt: receiptOf(row), settlement: await this.proofs.settlementOf(row) };
  }

  /** A receipt is made shortly after its charge; who asks before that has it made now. */
  private async find(wallet: string, id: string, kind: ReceiptRow['kind']): Promise<ReceiptRow | undefined> {
    const row = await this.store.find(wallet, id, kind);
    if (row || !(await this.batches.isDue(wallet, id, kind))) return row;
    for (const deadlineMs = performance.now() + PATIENCE_MS; performance.now() < deadlineMs;) {
      await this.projection.project('receipts', { deadlineMs, rests: true });
      const made = await this.store.find(wallet, id, kind);
      if (made) return made;
      await delay(PAUSE_MS);
    }
    throw noCapacity('This receipt is being made: ask again.', 1);
  }
}

function unknownReceipt(): Error {
  return notFound('There is no such receipt.');
}
