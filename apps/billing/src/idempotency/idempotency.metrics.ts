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
  private readonly keptBytes: Gauge;
  private readonly keptShare: Gauge;

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
      help:
        'Parts of replies by outcome: stored, refused because the request ran no more, or not kept because there is no room, for the wallet ' +
        '(wallet_full) or for anybody (full).',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['wallet_full', 'full']) this.stores.inc({ outcome }, 0);
    this.keptBytes = new Gauge({
      name: 'svc_billing_stored_replies_bytes',
      help: 'Encrypted bytes of replies that are kept, as they were counted.',
      registers,
    });
    this.keptShare = new Gauge({
      name: 'svc_billing_stored_replies_share_of_bound',
      help: 'What is kept of replies as a share of STORED_RESPONSES_MAX_BYTES.',
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

  notKept(outcome: 'wallet_full' | 'full'): void {
    this.stores.inc({ outcome });
  }

  kept(bytes: number, shareOfBound: number): void {
    this.keptBytes.set(bytes);
    this.keptShare.set(shareOfBound);
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
