import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { PauseStore } from './pause.store';
import type { Pause } from './pause.store';
import { SettlementMetrics } from './settlement.metrics';
import { pausedBy, wordsOf } from './settlement-state';
import type { Condition } from './settlement-state';
import { SignerCondition } from './signer-condition';

/** Says what settlement is doing: to health, metrics and the log. */
@Injectable()
export class SettlementStatus {
  private readonly signer: SignerCondition;

  constructor(
    @Inject(LOGGER) logger: Logger,
    private readonly metrics: SettlementMetrics,
    private readonly pauses: PauseStore,
  ) {
    this.signer = new SignerCondition('settlement', logger, metrics.signerState);
  }

  /** Up, unless the database is away: requests are served while nothing is collected, as far as the cap of what is unsettled goes. */
  readonly readiness: ReadinessCheck = {
    name: 'settlement',
    check: async () => ({ up: true, detail: await this.describe() }),
  };

  get condition(): Condition {
    return this.signer.current;
  }

  /** What is being done while these pauses stand: steps hear of one that came or ended when they look next. */
  conditionUnder([pause]: readonly Pause[]): Condition {
    if (pause) return pausedBy(pause);
    return this.condition.state === 'paused' ? { state: 'idle' } : this.condition;
  }

  set(condition: Condition): void {
    this.signer.set(condition);
  }

  /** A step ended with an error: what it means stands until a step does not. */
  failed(error: unknown): void {
    this.metrics.failures.inc();
    this.signer.failed(error);
  }

  private async describe(): Promise<string> {
    const standing = await this.pauses.standing();
    const [pause] = standing;
    if (!pause) return wordsOf(this.conditionUnder(standing));
    const [difference] = pause.differences;
    const what = difference ? `; ${difference.rule}: ${difference.actual}, not ${difference.expected}` : '';
    return `paused by ${pause.actor}: ${pause.reason}${what}`;
  }
}
