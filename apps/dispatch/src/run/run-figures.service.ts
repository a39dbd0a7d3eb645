import { Injectable } from '@nestjs/common';
import { DispatchMetrics } from '../dispatch.metrics';
import { SettlementService } from '../settlement/settlement.service';
import { RunRegistry } from './run-registry.service';

/** Shows what is under way in the metrics. */
@Injectable()
export class RunFigures {
  constructor(metrics: DispatchMetrics, registry: RunRegistry, settlement: SettlementService) {
    metrics.watch({
      runsInFlight: () => registry.liveCount,
      deliveriesPending: () => registry.undeliveredCount,
      settlementsPending: () => settlement.pending.size,
    });
  }
}
