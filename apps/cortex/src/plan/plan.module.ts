import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { Environment } from '@svc/environment';
import { HealthModule } from '../health/health.module';
import { OffersModule } from '../offers/offers.module';
import { EligibleOffers } from './eligible-offers';
import { ENVIRONMENT, ManagedVendors } from './managed-vendors';
import { PlanController } from './plan.controller';
import { PlanService } from './plan.service';

@Module({})
export class PlanModule {
  static forEnvironment(environment: Environment): DynamicModule {
    return {
      module: PlanModule,
      imports: [OffersModule, HealthModule],
      controllers: [PlanController],
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        EligibleOffers,
        ManagedVendors,
        PlanService,
      ],
    };
  }
}
