import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { CatalogConfig } from '../catalog.config';
import { EndpointPermission } from '../endpoint/endpoint-permission';
import { OfferStatusModule } from '../offer-status/offer-status.module';
import { OfferFormController } from './offer-form.controller';
import { OfferFormStore } from './offer-form.store';
import { OfferController } from './offer.controller';
import { OfferService } from './offer.service';
import { OfferStore } from './offer.store';
import { SUPPLY_LIMITS } from './supply-limits';
import type { SupplyLimits } from './supply-limits';
import { SupplyQuota } from './supply-quota';

/** What providers offer. */
@Module({})
export class OfferModule {
  static forService(config: CatalogConfig): DynamicModule {
    const limits: SupplyLimits = {
      offers: config.offersPerProvider,
      offersPerModel: config.offersPerModel,
      offersTotal: config.offersTotal,
      openCertifications: config.certificationQueueMax,
      versionsPerHour: config.versionsPerHour,
      certificationsPerHour: config.certificationsPerHour,
    };
    return {
      module: OfferModule,
      imports: [OfferStatusModule],
      controllers: [OfferController, OfferFormController],
      providers: [
        { provide: SUPPLY_LIMITS, useValue: limits },
        SupplyQuota,
        EndpointPermission,
        OfferFormStore,
        OfferStore,
        OfferService,
      ],
    };
  }
}
