import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

@Injectable()
export class ChainMetrics {
  readonly head: Gauge;
  /** Unix seconds. A server that stands still goes on answering: only its newest block grows old. */
  readonly headMadeAt: Gauge;
  /** Unix seconds: its distance from now is the lag. */
  readonly readAt: Gauge;
  readonly failures: Counter;
  private readonly reorganisations: Counter;
  private readonly deepest: Gauge;
  private depth = 0;

  constructor(@Inject(METRICS_REGISTRY) registry: MetricsRegistry) {
    const registers = [registry];
    this.head = new Gauge({
      name: 'svc_billing_chain_block',
      help: 'The block whose figures the wallets have.',
      registers,
    });
    this.headMadeAt = new Gauge({
      name: 'svc_billing_chain_block_timestamp_seconds',
      help: 'When the block whose figures the wallets have was made, as it says itself.',
      registers,
    });
    this.readAt = new Gauge({
      name: 'svc_billing_chain_read_timestamp_seconds',
      help: 'When the chain last answered.',
      registers,
    });
    this.failures = new Counter({
      name: 'svc_billing_chain_failures_total',
      help: 'Readings of the chain that failed.',
      registers,
    });
    this.reorganisations = new Counter({
      name: 'svc_billing_chain_reorganisations_total',
      help: 'How often known blocks turned out to be no longer on the chain.',
      registers,
    });
    this.deepest = new Gauge({
      name: 'svc_billing_chain_deepest_reorganisation_blocks',
      help: 'The most blocks that were replaced at once since the start.',
      registers,
    });
    const { readAt } = this;
    const startedAt = Date.now() / 1_000;
    new Gauge({
      name: 'svc_billing_chain_lag_seconds',
      help: 'Time since the chain last answered; since the start as long as it has not.',
      registers,
      async collect() {
        const [last] = (await readAt.get()).values;
        this.set(Math.max(0, Date.now() / 1_000 - (last?.value || startedAt)));
      },
    });
  }

  /** @param blocks how many known blocks are gone */
  reorganised(blocks: number): void {
    this.reorganisations.inc();
    this.depth = Math.max(this.depth, blocks);
    this.deepest.set(this.depth);
  }
}
