import { Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module';
import { OffersModule } from '../offers/offers.module';
import { PlanController } from './plan.controller';
import { PlanService } from './plan.service';

@Module({ imports: [OffersModule, HealthModule], controllers: [PlanController], providers: [PlanService] })
export class PlanModule {}
