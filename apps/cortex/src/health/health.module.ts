import { Module } from '@nestjs/common';
import { HealthReportController } from './health-report.controller';
import { OfferHealthService } from './offer-health.service';

@Module({
  controllers: [HealthReportController],
  providers: [OfferHealthService],
  exports: [OfferHealthService],
})
export class HealthModule {}
