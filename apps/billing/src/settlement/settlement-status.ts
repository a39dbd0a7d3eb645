import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { PauseStore } from './pause.store';
import { SettlementMetrics } from './settlement.metrics';
import { ALARMING, conditionOf } from './settlement-state';
import type { Condition, SettlementState } from './settlement-state';

/** Says what settlement is doing: to health, metrics and the log. */
@Injectable()
export class SettlementStatus {
  private now: Condition = { state: 'starting' };

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: SettlementMetrics,
    private readonly pauses: PauseStore,
  ) {}

  /** Always up: requests are served while nothing is collected, as far as the cap of what is unsettled goes. */
  readonly readiness: ReadinessCheck = {
    name: 'settlement',
    check: async () => ({ up: true, detail: await this.describe() }),
  };

  get condition(): Condition {
    return this.now;
  }

  set(condition: Condition): void {
    const { state, detail } = condition;
    if (state !== this.now.state || detail !== this.now.detail) {
      this.logger[levelOf(state)]({ state, detail }, 'settlement');
      this.metrics.signerState.reset();
      this.metrics.signerState.set({ state }, 1);
    }
    this.now = condition;
  }

  /** A step ended with an error: what it means stands until a step does not. */
  failed(error: unknown): void {
    this.metrics.failures.inc();
    const condition = conditionOf(error);
    if (condition.state !== this.now.state) this.logger.warn({ err: error }, 'settlement step failed');
    this.set(condition);
  }

  private async describe(): Promise<string> {
    const { state, detail } = this.now;
    const standing = await this.pauses.standing();
    const [pause] = standing;
    if (!pause) return detail ? `${state}: ${detail}` : state;
    const [difference] = pause.differences;
    const what = difference ? `; ${difference.rule}: ${difference.actual}, not ${difference.expected}` : '';
    return `paused by ${pause.actor}: ${pause.reason}${what}`;
  }
}

/** Batches come and go: that is no news. */
function levelOf(state: SettlementState): 'error' | 'info' | 'debug' {
  if (ALARMING.has(state)) return 'error';
  return state === 'idle' || state === 'in_flight' ? 'debug' : 'info';
}
