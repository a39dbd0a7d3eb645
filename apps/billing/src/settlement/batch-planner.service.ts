import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { BillingConfig } from '../billing.config';
import { failpoint } from '../failpoint';
import { ReceiptStore } from '../receipt/receipt.store';
import { BILLING_CONFIG } from '../tokens';
import { batchOf, dueOf } from './batch';
import type { PlannedBatch, PlannedDue } from './batch';
import { BatchStore } from './batch.store';

const PROJECTED_AT_ONCE = 5_000;
/** Bounds how long a batch takes to make: hashing this many takes a few seconds, spread over as many turns. */
const MOST_RECEIPTS_IN_BATCH = 20_000;

/** Decides whom the next batch asks, and for which receipts. */
@Injectable()
export class BatchPlanner {
  constructor(
    @Inject(BILLING_CONFIG) private readonly config: BillingConfig,
    private readonly batches: BatchStore,
    private readonly receipts: ReceiptStore,
  ) {}

  /** @returns undefined when nobody is to be asked */
  async plan(): Promise<PlannedBatch | undefined> {
    while ((await this.batches.project(PROJECTED_AT_ONCE)) >= PROJECTED_AT_ONCE);
    failpoint('settlement.projected');
    const { settlementMaxDues, settlementMaxReceipts, settlementIntervalMs } = this.config;
    const dues: PlannedDue[] = [];
    let collected = 0;
    for (const candidate of await this.batches.candidates(settlementMaxDues, settlementIntervalMs)) {
      const isFresh = candidate.fresh > 0n && collected < MOST_RECEIPTS_IN_BATCH;
      const receipts = isFresh ? await this.receipts.unbatched(candidate.wallet, settlementMaxReceipts) : [];
      const due = dueOf(candidate, receipts);
      if (!due) continue;
      dues.push(due);
      collected += receipts.length;
    }
    return dues.length === 0 ? undefined : batchOf(`0x${randomBytes(32).toString('hex')}`, dues);
  }
}
