import { Module } from '@nestjs/common';
import { HoldModule } from '../hold/hold.module';
import { DeferredSettlementHandler } from './deferred-settlement.handler';
import { SettlementQueueService } from './settlement-queue.service';

@Module({
  imports: [HoldModule],
  providers: [DeferredSettlementHandler, SettlementQueueService],
  exports: [SettlementQueueService],
})
export class SettlementQueueModule {}
