import { Module } from '@nestjs/common';
import type { BillingConfig } from '../billing.config';
import { ChainConnection } from '../chain/chain-connection';
import { ChainModule } from '../chain/chain.module';
import { ReceiptModule } from '../receipt/receipt.module';
import { BILLING_CONFIG } from '../tokens';
import { BatchListStore } from './batch-list.store';
import { BatchPlanner } from './batch-planner.service';
import { BatchStore } from './batch.store';
import { BatchTracker } from './batch-tracker';
import { JudgeService } from './judge.service';
import { OperationController } from './operation.controller';
import { OperationService } from './operation.service';
import { OutcomeStore } from './outcome.store';
import { PauseStore } from './pause.store';
import { SettlementCycle } from './settlement-cycle';
import type { Settler } from './settlement-cycle';
import { SettlementGauges } from './settlement-gauges.service';
import { SettlementMetrics } from './settlement.metrics';
import { SettlementService } from './settlement.service';
import { SettlementStatus } from './settlement-status';
import { SettlementSteps } from './settlement-steps';
import { ChainGateway } from './signer/chain-gateway';
import { JobSender } from './signer/job-sender';
import { SignerAccount } from './signer/signer-account';
import { SignerLeaseStore } from './signer/signer-lease.store';
import { TransactionStore } from './signer/transaction.store';
import { SETTLER } from './tokens';

@Module({
  imports: [ChainModule, ReceiptModule],
  controllers: [OperationController],
  providers: [
    {
      provide: ChainGateway,
      inject: [ChainConnection],
      useFactory: (connection: ChainConnection) => new ChainGateway(connection),
    },
    {
      provide: SETTLER,
      inject: [BILLING_CONFIG, ChainGateway, TransactionStore],
      useFactory: (
        config: BillingConfig,
        chain: ChainGateway,
        transactions: TransactionStore,
      ): Settler | undefined => {
        if (config.settlerKey === undefined) return undefined;
        const account = new SignerAccount(config.settlerKey, config.chainId);
        const options = { feeCap: BigInt(config.settlementMaxFeePerGas), bumpMs: config.settlementBumpMs };
        return { chain, transactions, sender: new JobSender(account, chain, transactions, options) };
      },
    },
    BatchListStore,
    BatchPlanner,
    BatchStore,
    BatchTracker,
    JudgeService,
    OperationService,
    OutcomeStore,
    PauseStore,
    SettlementCycle,
    SettlementGauges,
    SettlementMetrics,
    SettlementService,
    SettlementStatus,
    SettlementSteps,
    SignerLeaseStore,
    TransactionStore,
  ],
  exports: [ChainGateway, PauseStore, SettlementMetrics, SettlementStatus],
})
export class SettlementModule {}
