import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { HoldController } from './hold.controller';
import { RenewalService } from './renewal.service';
import { SettlementService } from './settlement.service';

@Module({
  imports: [LedgerModule],
  controllers: [HoldController],
  providers: [SettlementService, RenewalService],
  exports: [SettlementService],
})
export class HoldModule {}
