import { Module } from '@nestjs/common';
import { HoldModule } from '../hold/hold.module';
import { HoldQueueModule } from '../hold-queue/hold-queue.module';
import { LedgerModule } from '../ledger/ledger.module';
import { ExpiryGrace } from './expiry-grace.service';
import { LapsedHoldStore } from './lapsed-hold.store';
import { LeaseSweeper } from './lease-sweeper.service';

/** Frees holds whose lease nobody has renewed. */
@Module({
  imports: [LedgerModule, HoldModule, HoldQueueModule],
  providers: [LapsedHoldStore, ExpiryGrace, LeaseSweeper],
  exports: [LeaseSweeper],
})
export class ExpiryModule {}
