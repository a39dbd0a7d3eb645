import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

/** What the publication of views shows at `/metrics`. */
@Injectable()
export class PublicationMetrics {
  readonly publications: Counter<'outcome'>;
  readonly changedEntries: Counter<'view'>;
  readonly publishedEntries: Gauge<'view'>;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.publications = new Counter({
      name: 'svc_catalog_publications_total',
      help: 'Comparisons of the published views with the tables, by outcome (succeeded, failed)',
      labelNames: ['outcome'],
      registers,
    });
    // An alarm waits for it.
    this.publications.inc({ outcome: 'failed' }, 0);
    this.changedEntries = new Counter({
      name: 'svc_catalog_changed_entries_total',
      help: 'Entries written to or removed from a published view',
      labelNames: ['view'],
      registers,
    });
    this.publishedEntries = new Gauge({
      name: 'svc_catalog_published_entries',
      help: 'Entries in a published view: models, live offers',
      labelNames: ['view'],
      registers,
    });
  }
}
