import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module';
import { AdmissionController } from './admission.controller';
import { AdmissionService } from './admission.service';

@Module({ imports: [LedgerModule], controllers: [AdmissionController], providers: [AdmissionService] })
export class AdmissionModule {}
