import { Module } from '@nestjs/common';
import { CertificationsController } from './certifications/certifications.controller';
import { EarningsController } from './earnings/earnings.controller';
import { EarningsService } from './earnings/earnings.service';
import { OffersController } from './offers/offers.controller';
import { OffersService } from './offers/offers.service';
import { ProvidersController } from './providers/providers.controller';
import { SupplyTermsController } from './terms/supply-terms.controller';

/** The way in for providers. */
@Module({
  controllers: [
    SupplyTermsController,
    ProvidersController,
    EarningsController,
    OffersController,
    CertificationsController,
  ],
  providers: [EarningsService, OffersService],
  exports: [EarningsService],
})
export class SupplyModule {}
