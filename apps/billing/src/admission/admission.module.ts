import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { AdmissionController } from './admission.controller';
import { AdmissionService } from './admission.service';
import { QuotaLimitStore } from './quota-limit.store';

/** Makes holds: key, suspension and money in one commit. */
@Module({
  imports: [LedgerModule],
  controllers: [AdmissionController],
  providers: [AdmissionService, QuotaLimitStore],
})
export class AdmissionModule {}
