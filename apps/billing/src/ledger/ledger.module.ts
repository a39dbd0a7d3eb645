import { Module } from '@nestjs/common';
import { LedgerGauges } from './ledger-gauges.service';
import { LedgerMetrics } from './ledger.metrics';
import { LedgerService } from './ledger.service';
import { TrialBalanceController } from './trial-balance.controller';
import { TrialBalanceService } from './trial-balance.service';
import { TrialBalanceStore } from './trial-balance.store';

/** Everything that moves money between accounts, in batches; and whether the accounts add up. */
@Module({
  controllers: [TrialBalanceController],
  providers: [LedgerService, LedgerMetrics, LedgerGauges, TrialBalanceService, TrialBalanceStore],
  exports: [LedgerService, LedgerMetrics],
})
export class LedgerModule {}
