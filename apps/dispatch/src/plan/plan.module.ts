import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { Asking } from './asking.service';
import { PlanService } from './plan.service';

/** The way along a plan. */
@Module({ imports: [AttemptModule], providers: [Asking, PlanService], exports: [PlanService] })
export class PlanModule {}
