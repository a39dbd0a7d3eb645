import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

/** What watching shows at `/metrics`. */
@Injectable()
export class WatchMetrics {
  readonly heartbeats: Counter<'outcome'>;
  readonly reports: Counter<'outcome'>;
  readonly ordered: Counter<'kind'>;
  readonly suspended: Gauge<'code'>;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.heartbeats = new Counter({
      name: 'svc_catalog_heartbeats_total',
      help: 'Heartbeats of offers, by outcome (answered, traffic: real requests succeeded meanwhile, missed, unknown: we could not ask)',
      labelNames: ['outcome'],
      registers,
    });
    this.reports = new Counter({
      name: 'svc_catalog_health_reports_total',
      help: 'Health reports from dispatch, by outcome (accepted, refused)',
      labelNames: ['outcome'],
      registers,
    });
    this.ordered = new Counter({
      name: 'svc_catalog_watch_certifications_total',
      help: 'Certifications that watching asked for, by kind (canary, full: the one before is nearly over)',
      labelNames: ['kind'],
      registers,
    });
    this.suspended = new Gauge({
      name: 'svc_catalog_suspended_offers',
      help: 'Offers off the market, by code (provider_suspended, operator, or what watching found)',
      labelNames: ['code'],
      registers,
    });
  }
}
