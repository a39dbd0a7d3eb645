import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

@Injectable()
export class SettlementMetrics {
  readonly batchAge: Gauge;
  readonly unsettled: Gauge;
  readonly unbatched: Gauge;
  readonly failedPulls: Gauge;
  readonly gasSpent: Gauge;
  readonly gasTipShare: Gauge;
  readonly batches: Gauge<'state'>;
  readonly signerState: Gauge<'state'>;
  readonly payerState: Gauge<'state'>;
  readonly paused: Gauge;
  readonly differences: Gauge<'kind'>;
  readonly reconciledAt: Gauge<'kind'>;
  readonly failures: Counter;

  constructor(@Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry) {
    this.batchAge = this.gauge(
      'settlement_batch_age_seconds',
      'Age of the oldest batch that the safe depth does not show; 0 without one.',
    );
    this.unsettled = this.gauge(
      'unsettled_base_units',
      'What wallets owe beyond what the chain has collected at the safe depth.',
    );
    this.unbatched = this.gauge(
      'settlement_unbatched_receipts',
      'Receipts that no batch collects yet, counted up to 100,000.',
    );
    this.failedPulls = this.gauge(
      'settlement_failed_wallets',
      'Wallets suspended because what they owe could not be pulled.',
    );
    this.gasSpent = this.gauge(
      'settlement_gas_spent_wei',
      'What all settled batches and payout roots cost in gas.',
    );
    this.gasTipShare = this.gauge(
      'settlement_gas_tip_share_of_cap',
      'What was signed last offers for a unit of gas beyond the base fee, as a share of SETTLEMENT_MAX_FEE_PER_GAS.',
    );
    this.batches = this.labelled('settlement_batches', 'Batches by state.', 'state');
    this.signerState = this.labelled(
      'settlement_signer_state',
      'What the signer is doing: 1 for the state it is in.',
      'state',
    );
    this.payerState = this.labelled(
      'payout_signer_state',
      'What is done to publish what providers may claim: 1 for the state it is in.',
      'state',
    );
    this.paused = this.gauge('settlement_paused', '1 while settlement is paused.');
    this.differences = this.labelled(
      'reconciliation_differences',
      'Figures that disagreed when last compared: anything but 0 is an alarm.',
      'kind',
    );
    this.reconciledAt = this.labelled(
      'reconciliation_timestamp_seconds',
      'When the ledger was last compared, as far as it is known; before that, the start.',
      'kind',
    );
    this.failures = new Counter({
      name: 'svc_billing_settlement_failures_total',
      help: 'Looks at settlement that ended with an error.',
      registers: [registry],
    });
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `svc_billing_${name}`, help, registers: [this.registry] });
  }

  private labelled<Label extends string>(name: string, help: string, label: Label): Gauge<Label> {
    return new Gauge({ name: `svc_billing_${name}`, help, labelNames: [label], registers: [this.registry] });
  }
}
