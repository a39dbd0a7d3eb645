import { Module } from '@nestjs/common';
import { DispatchLink } from './dispatch-link';
import { HoldRelease } from './hold-release';
import { RunMetrics } from './run-metrics';
import { RunsService } from './runs.service';

/** Runs as the gateway sees them: started, followed, given up; and the holds that it lets go of. */
@Module({
  providers: [DispatchLink, HoldRelease, RunMetrics, RunsService],
  exports: [DispatchLink, HoldRelease, RunsService],
})
export class RunsModule {}
