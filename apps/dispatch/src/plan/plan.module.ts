import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { OffersModule } from '../offers/offers.module';
import { Asking } from './asking.service';
import { PlanService } from './plan.service';

/** The way along a plan. */
@Module({ imports: [AttemptModule, OffersModule], providers: [Asking, PlanService], exports: [PlanService] })
export class PlanModule {}
