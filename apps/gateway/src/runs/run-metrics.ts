import { Inject, Injectable } from '@nestjs/common';
import { Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { HoldRelease } from './hold-release';
import { RunsService } from './runs.service';

/** Counts what is under way, and what waits, when somebody asks. */
@Injectable()
export class RunMetrics {
  constructor(runs: RunsService, holds: HoldRelease, @Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    new Gauge({
      name: 'svc_gateway_active_runs',
      help: 'Runs whose reply is not finished.',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const [kind, count] of Object.entries(runs.count())) this.set({ kind }, count);
      },
    });
    new Gauge({
      name: 'svc_gateway_releases_pending',
      help: 'Holds to be let go of, which the queue has not been told yet; that is lost with this process.',
      registers: [registry],
      collect() {
        this.set(holds.pending);
      },
    });
  }
}
