import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { HoldController } from './hold.controller';
import { RenewalService } from './renewal.service';
import { ResolutionService } from './resolution.service';

/** What becomes of holds that were made: renewed while the work lives, resolved at its end. */
@Module({
  imports: [LedgerModule],
  controllers: [HoldController],
  providers: [ResolutionService, RenewalService],
  exports: [ResolutionService],
})
export class HoldModule {}
