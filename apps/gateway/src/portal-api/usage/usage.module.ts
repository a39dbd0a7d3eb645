import { Module } from '@nestjs/common';
import { UsageExportsService } from './usage-exports.service';
import { UsageRequestsService } from './usage-requests.service';
import { UsageSummaryService } from './usage-summary.service';
import { UsageController } from './usage.controller';

/** What a wallet used: charts, lists, one request, CSV. */
@Module({
  controllers: [UsageController],
  providers: [UsageExportsService, UsageRequestsService, UsageSummaryService],
})
export class UsageModule {}
