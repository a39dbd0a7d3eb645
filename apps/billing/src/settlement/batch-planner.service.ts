import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { failpoint } from '../failpoint';
import { LEAST_RECEIPTS } from '../receipt/receipt-choice';
import { ProjectionService } from '../receipt/projection.service';
import { ReceiptStore } from '../receipt/receipt.store';
import type { Collection } from '../receipt/receipt.store';
import { batchOf, dueOf } from './batch';
import { urgentFrom } from '../urgent-from';
import type { Candidate, PlannedBatch, PlannedDue } from './batch';
import { BatchStore } from './batch.store';

/** For how long receipts are made before it is looked whether the process ends: however many wait, it does not wait for all of them. */
const PIECE_MS = 500;

/** Decides whom the next batch asks, and for which receipts. */
@Injectable()
export class BatchPlanner {
  constructor(
    private readonly config: BillingConfig,
    private readonly batches: BatchStore,
    private readonly receipts: ReceiptStore,
    private readonly projection: ProjectionService,
    private readonly rests: Rests,
  ) {}

  /**
   * What one batch takes is bounded, whatever waits: in wallets, in receipts of a wallet and in receipts of all.
   * @returns undefined when nobody is to be asked, or the process ends
   */
  async plan(): Promise<PlannedBatch | undefined> {
    if (!(await this.haveReceiptsMade())) return undefined;
    failpoint('settlement.projected');
    const { settlementMaxDues, settlementMaxBatchReceipts } = this.config;
    const dues: PlannedDue[] = [];
    let [places, more] = [settlementMaxBatchReceipts, false];
    for (const candidate of await this.candidates()) {
      if (dues.length === settlementMaxDues) {
        more = true;
        break;
      }
      const collection = await this.collect(candidate, places);
      more ||= collection?.more ?? (candidate.fresh > 0n && places < LEAST_RECEIPTS);
      const due = dueOf(candidate, collection);
      if (!due) continue;
      dues.push(due);
      places -= due.receipts.length;
    }
    return dues.length === 0 ? undefined : batchOf(`0x${randomBytes(32).toString('hex')}`, dues, more);
  }

  private candidates(): Promise<Candidate[]> {
    const { config } = this;
    return this.batches.candidates({
      // Twice as many as are taken: some may turn out to have nothing that can be collected now.
      most: 2 * config.settlementMaxDues,
      intervalMs: config.settlementIntervalMs,
      leastFresh: BigInt(config.settlementMinDue),
      longestWaitMs: config.settlementMinDueWaitMs,
      urgentFrom: urgentFrom(config),
    });
  }

  /**
   * Refunds come after the charges that they give back: with a part of the receipts what a wallet owes could not be told apart. What comes
   * while the batch is planned may be such a part again: see ReceiptStore.
   * @returns false when the process ends before all are made
   */
  private async haveReceiptsMade(): Promise<boolean> {
    while (!this.rests.isLeaving && !this.projection.stopped) {
      if (await this.projection.project('receipts', { deadlineMs: performance.now() + PIECE_MS }))
        return true;
    }
    return false;
  }

  private async collect({ wallet, fresh }: Candidate, places: number): Promise<Collection | undefined> {
    const most = Math.min(this.config.settlementMaxReceipts, places);
    // Where there are hardly any places left, the next batch has some.
    if (fresh <= 0n || most < LEAST_RECEIPTS) return undefined;
    return this.receipts.unbatched(wallet, most);
  }
}
