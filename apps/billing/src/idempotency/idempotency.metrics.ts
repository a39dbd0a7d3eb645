import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

@Injectable()
export class IdempotencyMetrics {
  private readonly rows: Gauge<'table'>;
  private readonly purgedTotal: Counter;
  private readonly storedBytes: Counter;
  private readonly stores: Counter<'outcome'>;
  private readonly replays: Counter;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.rows = new Gauge({
      name: 'svc_billing_idempotency_rows',
      help: 'Requests under idempotency keys and parts of stored replies, by the statistics of the database.',
      labelNames: ['table'],
      registers,
    });
    this.purgedTotal = new Counter({
      name: 'svc_billing_idempotency_purged_total',
      help: 'Requests that were deleted with their replies when their time was over.',
      registers,
    });
    this.storedBytes = new Counter({
      name: 'svc_billing_idempotency_stored_bytes_total',
      help: 'Encrypted bytes of replies stored.',
      registers,
    });
    this.stores = new Counter({
      name: 'svc_billing_idempotency_stores_total',
      help: 'Parts of replies by outcome: stored, or refused because the request ran no more.',
      labelNames: ['outcome'],
      registers,
    });
    this.replays = new Counter({
      name: 'svc_billing_idempotency_replays_total',
      help: 'Stored replies that were read.',
      registers,
    });
  }

  stored(bytes: number): void {
    this.stores.inc({ outcome: 'stored' });
    this.storedBytes.inc(bytes);
  }

  refused(): void {
    this.stores.inc({ outcome: 'refused' });
  }

  replayed(): void {
    this.replays.inc();
  }

  purged(requests: number): void {
    this.purgedTotal.inc(requests);
  }

  standing({ requests, parts }: { requests: number; parts: number }): void {
    this.rows.set({ table: 'idempotency' }, requests);
    this.rows.set({ table: 'stored_response' }, parts);
  }
}
