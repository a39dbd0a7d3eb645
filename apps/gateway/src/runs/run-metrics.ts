import { Inject, Injectable } from '@nestjs/common';
import { Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { RunsService } from './runs.service';

/** Counts what is under way, when somebody asks. */
@Injectable()
export class RunMetrics {
  constructor(runs: RunsService, @Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    new Gauge({
      name: 'svc_gateway_active_runs',
      help: 'Runs whose reply is not finished.',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const [kind, count] of Object.entries(runs.count())) this.set({ kind }, count);
      },
    });
  }
}
