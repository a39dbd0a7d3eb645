import { Injectable } from '@nestjs/common';
import { DispatchMetrics } from '../dispatch.metrics';
import { HoldService } from '../hold/hold.service';
import { RunRegistry } from './run-registry.service';

/** Shows what is under way in the metrics. */
@Injectable()
export class RunFigures {
  constructor(metrics: DispatchMetrics, registry: RunRegistry, holds: HoldService) {
    metrics.watch({
      runsInFlight: () => registry.liveCount,
      deliveriesPending: () => registry.undeliveredCount,
      settlementsPending: () => holds.pending.size,
    });
  }
}
