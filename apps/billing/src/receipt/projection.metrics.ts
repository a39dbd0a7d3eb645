import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { MOST_COUNTED } from './projection.store';

@Injectable()
export class ProjectionMetrics {
  readonly records: Counter<'projection'>;
  readonly lagRows: Gauge<'projection'>;
  readonly lagSeconds: Gauge<'projection'>;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const shared = { labelNames: ['projection'] as const, registers: [registry] };
    this.records = new Counter({
      name: 'svc_billing_projected_records_total',
      help: 'Usage records, credits and unserved requests that this instance made receipts or statement lines of.',
      ...shared,
    });
    this.lagRows = new Gauge({
      name: 'svc_billing_projection_lag_rows',
      help: `Usage records, credits and unserved requests that are not projected yet; of each kind up to ${MOST_COUNTED} are counted.`,
      ...shared,
    });
    this.lagSeconds = new Gauge({
      name: 'svc_billing_projection_lag_seconds',
      help: 'How long the oldest of them has been waiting.',
      ...shared,
    });
  }
}
