import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

/** What the ledger tells of itself. Money is in base units; figures beyond 2^53 lose their last digits here only. */
@Injectable()
export class LedgerMetrics {
  readonly batchSize: Histogram;
  readonly commitSeconds: Histogram;
  readonly admissions: Counter<'outcome'>;
  readonly settlements: Counter<'outcome' | 'source'>;
  readonly failures: Counter<'reason'>;
  readonly openHolds: Gauge;
  readonly lapsedHolds: Gauge;
  readonly held: Gauge;
  readonly trialBalanceDifference: Gauge<'set'>;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.batchSize = new Histogram({
      name: 'svc_billing_batch_operations',
      help: 'Operations committed together.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    });
    this.commitSeconds = new Histogram({
      name: 'svc_billing_commit_seconds',
      help: 'Time from sending a batch to its durable answer.',
      // 50 ms is an alarm's limit: between two bounds a quantile is a guess.
      buckets: [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05, 0.064, 0.128, 0.256, 0.512, 1, 5],
      registers,
    });
    this.admissions = new Counter({
      name: 'svc_billing_admissions_total',
      help: 'Admissions by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.settlements = new Counter({
      name: 'svc_billing_settlements_total',
      help: 'Resolutions of holds by the state they found or made, and by where they came from.',
      labelNames: ['outcome', 'source'],
      registers,
    });
    this.failures = new Counter({
      name: 'svc_billing_ledger_failures_total',
      help: 'Batches that found the database out of reach, and single operations it refused.',
      labelNames: ['reason'],
      registers,
    });
    // What an alarm waits for begins at 0: of a series that begins with 1, Prometheus sees no increase.
    this.failures.inc({ reason: 'unavailable' }, 0);
    this.failures.inc({ reason: 'refused' }, 0);
    for (const source of ['call', 'queue']) this.settlements.inc({ outcome: 'late', source }, 0);
    this.openHolds = new Gauge({ name: 'svc_billing_open_holds', help: 'Open holds.', registers });
    this.lapsedHolds = new Gauge({
      name: 'svc_billing_lapsed_holds',
      help: 'Open holds whose lease has run out: the sweeper frees them, four times a lease.',
      registers,
    });
    this.held = new Gauge({ name: 'svc_billing_held_base_units', help: 'Sum of open holds.', registers });
    this.trialBalanceDifference = new Gauge({
      name: 'svc_billing_trial_balance_difference',
      help: 'What wallets say less what open holds, usage records or credits add up to, base units: anything but 0 is an alarm.',
      labelNames: ['set'],
      registers,
    });
  }
}
