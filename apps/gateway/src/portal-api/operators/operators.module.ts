import { Module } from '@nestjs/common';
import { OperatorAuditController } from './audit.controller';
import { OverviewController } from './overview.controller';
import { SettlementController } from './settlement.controller';
import { OperatorSupplyController } from './supply.controller';
import { OperatorWalletsController } from './wallets.controller';

/** What operators see and do, by the list of their wallets (docs/decisions/0016). */
@Module({
  controllers: [
    OverviewController,
    OperatorSupplyController,
    OperatorWalletsController,
    SettlementController,
    OperatorAuditController,
  ],
})
export class OperatorsModule {}
