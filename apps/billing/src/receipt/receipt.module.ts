import { Module } from '@nestjs/common';
import { KeyModule } from '../key/key.module';
import { BatchProofStore } from './batch-proof.store';
import { ProjectionMetrics } from './projection.metrics';
import { ProjectionService } from './projection.service';
import { ProjectionStore } from './projection.store';
import { ReceiptController } from './receipt.controller';
import { ReceiptProofs } from './receipt-proofs';
import { ReceiptService } from './receipt.service';
import { ReceiptStore } from './receipt.store';

/** Makes receipts and the lines of statements from what the ledger committed; the proofs of receipts, and which of them a due collects. */
@Module({
  imports: [KeyModule],
  controllers: [ReceiptController],
  providers: [
    BatchProofStore,
    ProjectionMetrics,
    ProjectionService,
    ProjectionStore,
    ReceiptProofs,
    ReceiptService,
    ReceiptStore,
  ],
  exports: [ProjectionService, ReceiptStore],
})
export class ReceiptModule {}
