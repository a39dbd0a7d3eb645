import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule, natsReadiness } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import { DatabaseWatch } from '@svc/persistence';
import type { ServiceParts } from '@svc/service-host';
import { AdmissionModule } from './admission/admission.module';
import { AuditModule } from './audit/audit.module';
import { BillingConfig } from './billing.config';
import { ChainModule } from './chain/chain.module';
import { ChainWatcher } from './chain/chain-watcher.service';
import { CreditModule } from './credit/credit.module';
import { DatabaseModule } from './database/database.module';
import { ExpiryModule } from './expiry/expiry.module';
import { HoldModule } from './hold/hold.module';
import { HoldQueueModule } from './hold-queue/hold-queue.module';
import { HoldQueueService } from './hold-queue/hold-queue.service';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { KeyModule } from './key/key.module';
import { ReceiptModule } from './receipt/receipt.module';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { SettlementModule } from './settlement/settlement.module';
import { PayoutStatus } from './settlement/payout/payout-status';
import { SettlementStatus } from './settlement/settlement-status';
import { SignatureModule } from './signature/signature.module';
import { StatementModule } from './statement/statement.module';
import { WalletModule } from './wallet/wallet.module';

@Global()
@Module({})
export class AppModule {
  static forService({ config, logger, messaging }: ServiceParts<BillingConfig>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        MessagingModule.forConnection(messaging),
        DatabaseModule.forService(config, logger),
        ChainModule,
        AdmissionModule,
        HoldModule,
        SettlementModule,
        ReconciliationModule,
        HoldQueueModule,
        ExpiryModule,
        IdempotencyModule,
        KeyModule,
        WalletModule,
        AuditModule,
        SignatureModule,
        CreditModule,
        ReceiptModule,
        StatementModule,
        ObservabilityModule.forService({
          service: 'billing',
          logger,
          imports: [ChainModule, SettlementModule, HoldQueueModule],
          inject: [DatabaseWatch, ChainWatcher, HoldQueueService, SettlementStatus, PayoutStatus],
          readiness: (
            database: DatabaseWatch,
            chain: ChainWatcher,
            queue: HoldQueueService,
            settlement: SettlementStatus,
            payouts: PayoutStatus,
          ) => [
            natsReadiness(messaging),
            database.readiness,
            chain.readiness,
            queue.readiness,
            settlement.readiness,
            payouts.readiness,
          ],
        }),
      ],
      providers: [{ provide: BillingConfig, useValue: config }],
      exports: [BillingConfig],
    };
  }
}
