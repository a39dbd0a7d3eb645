import { Module } from '@nestjs/common';
import { ReceiptModule } from '../receipt/receipt.module';
import { CreditListStore } from './credit-list.store';
import { DueController } from './due.controller';
import { DueListStore } from './due-list.store';
import { DueService } from './due.service';
import { EarningsService } from './earnings.service';
import { EarningsStore } from './earnings.store';
import { PositionStore } from './position.store';
import { StatementController } from './statement.controller';
import { StatementDatabase } from './statement-database';
import { StatementService } from './statement.service';
import { UsageExportController } from './usage-export.controller';
import { UsageExportService } from './usage-export.service';
import { UsageDetailStore } from './usage-detail.store';
import { UsageListStore } from './usage-list.store';
import { UsageService } from './usage.service';
import { UsageSummaryStore } from './usage-summary.store';

/** What wallets, providers and internal teams may read: positions, usage, credits, dues, earnings. */
@Module({
  imports: [ReceiptModule],
  controllers: [DueController, StatementController, UsageExportController],
  providers: [
    CreditListStore,
    DueListStore,
    DueService,
    EarningsService,
    EarningsStore,
    PositionStore,
    StatementDatabase,
    StatementService,
    UsageDetailStore,
    UsageExportService,
    UsageListStore,
    UsageService,
    UsageSummaryStore,
  ],
})
export class StatementModule {}
