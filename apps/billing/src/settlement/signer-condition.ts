import type { Gauge, Logger } from '@svc/observability';
import { ALARMING, conditionOf } from './settlement-state';
import type { Condition, SettlementState } from './settlement-state';

/** What is done with one signing key, or why it is not: in its gauge, and in the log where it changes. */
export class SignerCondition {
  private now: Condition = { state: 'starting' };

  /** @param what is done with the key, as the log calls it */
  constructor(
    private readonly what: string,
    private readonly logger: Logger,
    private readonly gauge: Gauge<'state'>,
  ) {}

  get current(): Condition {
    return this.now;
  }

  set(condition: Condition): void {
    const { state, detail } = condition;
    if (state !== this.now.state || detail !== this.now.detail) {
      this.logger[levelOf(state)]({ state, detail }, this.what);
      this.gauge.reset();
      this.gauge.set({ state }, 1);
    }
    this.now = condition;
  }

  /** A step ended with an error: what it means stands until a step does not. */
  failed(error: unknown): void {
    const condition = conditionOf(error);
    if (condition.state !== this.now.state) this.logger.warn({ err: error }, `${this.what} step failed`);
    this.set(condition);
  }
}

/** Batches come and go: that is no news. */
function levelOf(state: SettlementState): 'error' | 'info' | 'debug' {
  if (ALARMING.has(state)) return 'error';
  return state === 'idle' || state === 'in_flight' ? 'debug' : 'info';
}
