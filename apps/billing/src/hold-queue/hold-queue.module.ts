import { Module } from '@nestjs/common';
import { HoldModule } from '../hold/hold.module';
import { DeferredResolutionHandler } from './deferred-resolution.handler';
import { HoldQueueService } from './hold-queue.service';

/** Resolves the holds that could not be resolved by a call; nothing on chain. */
@Module({
  imports: [HoldModule],
  providers: [DeferredResolutionHandler, HoldQueueService],
  exports: [HoldQueueService],
})
export class HoldQueueModule {}
