import { Module } from '@nestjs/common';
import { HoldModule } from '../hold/hold.module';
import { DeferredSettlementHandler } from './deferred-settlement.handler';
import { SettlementQueueService } from './settlement-queue.service';

/** Resolves the holds that could not be resolved by a call; nothing on chain. */
@Module({
  imports: [HoldModule],
  providers: [DeferredSettlementHandler, SettlementQueueService],
  exports: [SettlementQueueService],
})
export class SettlementQueueModule {}
