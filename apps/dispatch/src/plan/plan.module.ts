import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { BreakerModule } from '../breaker/breaker.module';
import { OffersModule } from '../offers/offers.module';
import { Asking } from './asking.service';
import { AttemptNotes } from './attempt-notes.service';
import { OfferCalls } from './offer-calls.service';
import { PlanService } from './plan.service';
import { PlanWalks } from './plan-walks.service';

/** The way along a plan. */
@Module({
  imports: [AttemptModule, BreakerModule, OffersModule],
  providers: [Asking, AttemptNotes, OfferCalls, PlanService, PlanWalks],
  exports: [PlanService],
})
export class PlanModule {}
