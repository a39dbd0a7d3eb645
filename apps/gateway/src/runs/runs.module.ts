import { Module } from '@nestjs/common';
import { DispatchLink } from './dispatch-link';
import { HoldRelease } from './hold-release';
import { RunMetrics } from './run-metrics';
import { RunsService } from './runs.service';

@Module({
  providers: [DispatchLink, HoldRelease, RunMetrics, RunsService],
  exports: [DispatchLink, HoldRelease, RunsService],
})
export class RunsModule {}
