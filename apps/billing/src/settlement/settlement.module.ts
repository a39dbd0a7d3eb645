import { Module } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { ChainConnection } from '../chain/chain-connection';
import { ChainModule } from '../chain/chain.module';
import { ReceiptModule } from '../receipt/receipt.module';
import { BatchListStore } from './batch-list.store';
import { BatchPlanner } from './batch-planner.service';
import { BatchStore } from './batch.store';
import { BatchTracker } from './batch-tracker';
import { JudgeService } from './judge.service';
import { OperationController } from './operation.controller';
import { OperationService } from './operation.service';
import { OutcomeStore } from './outcome.store';
import { PauseStore } from './pause.store';
import { ClaimController } from './payout/claim.controller';
import { PayoutBooking } from './payout/payout-booking';
import { PayoutCycle } from './payout/payout-cycle';
import { PayoutProofs } from './payout/payout-proofs';
import { PayoutService } from './payout/payout.service';
import { PayoutStatus } from './payout/payout-status';
import { PayoutSteps } from './payout/payout-steps';
import { PayoutStore } from './payout/payout.store';
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
import { PAYER, SETTLER } from './tokens';

function senderFor(
  key: string | undefined,
  config: BillingConfig,
  chain: ChainGateway,
  transactions: TransactionStore,
): JobSender | undefined {
  if (key === undefined) return undefined;
  const options = { feeCap: BigInt(config.settlementMaxFeePerGas), bumpMs: config.settlementBumpMs };
  return new JobSender(new SignerAccount(key, config.chainId), chain, transactions, options);
}

/** Settlement on chain: collects what charges left owing, in batches, and pays providers out. */
@Module({
  imports: [ChainModule, ReceiptModule],
  controllers: [OperationController, ClaimController],
  providers: [
    {
      provide: ChainGateway,
      inject: [ChainConnection],
      useFactory: (connection: ChainConnection) => new ChainGateway(connection),
    },
    {
      provide: SETTLER,
      inject: [BillingConfig, ChainGateway, TransactionStore],
      useFactory: (
        config: BillingConfig,
        chain: ChainGateway,
        transactions: TransactionStore,
      ): Settler | undefined => {
        const sender = senderFor(config.settlerKey, config, chain, transactions);
        return sender && { chain, transactions, sender };
      },
    },
    {
      provide: PAYER,
      inject: [BillingConfig, ChainGateway, TransactionStore],
      useFactory: (config: BillingConfig, chain: ChainGateway, transactions: TransactionStore) =>
        senderFor(config.payerKey, config, chain, transactions),
    },
    BatchListStore,
    BatchPlanner,
    BatchStore,
    BatchTracker,
    JudgeService,
    OperationService,
    OutcomeStore,
    PauseStore,
    PayoutBooking,
    PayoutCycle,
    PayoutProofs,
    PayoutService,
    PayoutStatus,
    PayoutSteps,
    PayoutStore,
    SettlementCycle,
    SettlementGauges,
    SettlementMetrics,
    SettlementService,
    SettlementStatus,
    SettlementSteps,
    SignerLeaseStore,
    TransactionStore,
  ],
  exports: [
    ChainGateway,
    PauseStore,
    PayoutService,
    PayoutStatus,
    PayoutStore,
    SettlementMetrics,
    SettlementStatus,
  ],
})
export class SettlementModule {}
