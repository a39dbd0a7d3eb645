import { Inject, Injectable } from '@nestjs/common';
import type { CertificationKind } from '@svc/contracts';
import { Counter, Gauge, Histogram, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

type RunOutcome = 'passed' | 'refused' | 'abandoned';

/** What certification shows at `/metrics`. */
@Injectable()
export class CertificationMetrics {
  readonly probeFailures: Counter<'kind' | 'probe'>;
  readonly open: Gauge;
  readonly postponed: Counter;
  private readonly runs: Counter<'kind' | 'outcome'>;
  private readonly seconds: Histogram<'kind'>;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.runs = new Counter({
      name: 'svc_catalog_certifications_total',
      help: 'Certification runs by kind and outcome (passed, refused, abandoned)',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.postponed = new Counter({
      name: 'svc_catalog_certifications_postponed_total',
      help: 'Times a certification run met a fault of our own and was left for later',
      registers,
    });
    this.seconds = new Histogram({
      name: 'svc_catalog_certification_seconds',
      help: 'From the beginning of a certification run to its verdict, pauses included',
      labelNames: ['kind'],
      buckets: [1, 2.5, 5, 10, 20, 40, 80, 160, 320],
      registers,
    });
    this.probeFailures = new Counter({
      name: 'svc_catalog_probe_failures_total',
      help: 'Probes that failed, by kind of the run and probe',
      labelNames: ['kind', 'probe'],
      registers,
    });
    this.open = new Gauge({
      name: 'svc_catalog_certifications_open',
      help: 'Certification runs that are queued or under way, of all instances',
      registers,
    });
  }

  /** @param startedAt of a run that came to a verdict */
  runEnded(kind: CertificationKind, outcome: RunOutcome, startedAt?: Date): void {
    this.runs.inc({ kind, outcome });
    if (startedAt) this.seconds.observe({ kind }, Math.max(0, Date.now() - startedAt.getTime()) / 1_000);
  }
}
