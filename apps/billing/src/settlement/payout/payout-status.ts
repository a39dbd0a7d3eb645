import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { wordsOf } from '../settlement-state';
import { SettlementMetrics } from '../settlement.metrics';
import { SignerCondition } from '../signer-condition';

/** Says what is done about payouts: to health, metrics and the log. */
@Injectable()
export class PayoutStatus {
  readonly signer: SignerCondition;

  constructor(@Inject(LOGGER) logger: Logger, metrics: SettlementMetrics) {
    this.signer = new SignerCondition('payouts', logger, metrics.payerState);
  }

  /** Always up: requests are served, and what was published can be claimed, while nothing new is published. */
  readonly readiness: ReadinessCheck = {
    name: 'payouts',
    check: () => ({ up: true, detail: wordsOf(this.signer.current) }),
  };
}
