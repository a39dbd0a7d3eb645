import { Module } from '@nestjs/common';
import { HoldModule } from '../hold/hold.module';
import { LedgerModule } from '../ledger/ledger.module';
import { SettlementQueueModule } from '../settlement-queue/settlement-queue.module';
import { ExpiryGrace } from './expiry-grace.service';
import { LapsedHoldStore } from './lapsed-hold.store';
import { LeaseSweeper } from './lease-sweeper.service';

/** Frees holds whose lease nobody has renewed. */
@Module({
  imports: [LedgerModule, HoldModule, SettlementQueueModule],
  providers: [LapsedHoldStore, ExpiryGrace, LeaseSweeper],
  exports: [LeaseSweeper],
})
export class ExpiryModule {}
