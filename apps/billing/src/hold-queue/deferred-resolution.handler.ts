import { Inject, Injectable } from '@nestjs/common';
import { SETTLEMENT_QUEUE, SettleHoldRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { notJson, unfitRequest } from '@svc/messaging';
import { Counter, Gauge, LOGGER, METRICS_REGISTRY } from '@svc/observability';
import type { Logger, MetricsRegistry } from '@svc/observability';
import { compileValidator } from '@svc/validation';
import type { JsMsg } from 'nats';
import { failpoint } from '../failpoint';
import { ResolutionService } from '../hold/resolution.service';
import { ACK_WAIT_MS } from './hold-queue-stream';

const validate = compileValidator(SettleHoldRequest);
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** What did not come again until then, another instance has taken. */
export const FORGOTTEN_AFTER_MS = LONGEST_RETRY_MS + ACK_WAIT_MS;

/** Applies one deferred settlement and tells the queue what became of it. */
@Injectable()
export class DeferredResolutionHandler {
  private readonly outcomes: Counter<'outcome'>;
  /** The latest delivery of each message that is being applied. */
  private readonly underWay = new Map<string, JsMsg>();
  /** When what was tried in vain was given back to the queue, by message. */
  private readonly retrying = new Map<string, number>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
    private readonly holds: ResolutionService,
  ) {
    this.outcomes = new Counter({
      name: 'svc_billing_deferred_settlements_total',
      help: 'Messages of the settlement queue by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    // An alarm waits for these.
    for (const outcome of ['malformed', 'forbidden', 'refused']) this.outcomes.inc({ outcome }, 0);
    this.showPutBack(registry);
  }

  /** How many messages were tried, and are in the queue again. */
  get putBack(): number {
    const oldestMs = performance.now() - FORGOTTEN_AFTER_MS;
    for (const [id, putBackMs] of this.retrying) if (putBackMs < oldestMs) this.retrying.delete(id);
    return this.retrying.size;
  }

  /** For when the queue is consumed anew: another instance may have settled meanwhile what was put back here. */
  forgetPutBack(): void {
    this.retrying.clear();
  }

  /** Acknowledges after the commit. Never rejects. */
  async handle(message: JsMsg): Promise<void> {
    const request = this.read(message);
    if (!request) return;
    const id = idOf(message);
    const repeated = this.underWay.has(id);
    this.underWay.set(id, message);
    // Delivered again while the first delivery waits for the database: that one answers for both.
    if (repeated) return;
    this.retrying.delete(id);
    try {
      await this.holds.settle(request, 'queue');
      failpoint('queue.applied');
      this.latest(message).ack();
      this.outcomes.inc({ outcome: 'applied' });
    } catch (error) {
      this.giveBack(this.latest(message), request, error);
    }
  }

  private showPutBack(registry: MetricsRegistry): void {
    const putBack = () => this.putBack;
    new Gauge({
      name: 'svc_billing_deferred_settlements_put_back',
      help: 'Messages of the settlement queue that were tried in vain and wait for another try, for as long as it takes.',
      registers: [registry],
      collect() {
        this.set(putBack());
      },
    });
  }

  private read(message: JsMsg): SettleHoldRequest | undefined {
    let reason = notJson().message;
    try {
      const result = validate(message.json());
      if (result.ok) return this.permitted(message, result.value);
      reason = unfitRequest(result.problem).message;
    } catch {
      // Not JSON: no delivery of it will be.
    }
    this.logger.error({ sequence: message.seq, reason }, 'malformed settlement dropped');
    this.outcomes.inc({ outcome: 'malformed' });
    message.term('malformed');
    return undefined;
  }

  /**
   * NATS lets only dispatch publish to the subject by which a charge may come. What another stream delivers into the queue, to whichever
   * subject, has that stream's: so may whoever reads one, the catalogue for instance.
   */
  private permitted(message: JsMsg, request: SettleHoldRequest): SettleHoldRequest | undefined {
    const { seq: sequence, subject } = message;
    if (subject === SETTLEMENT_QUEUE.deferSubject) return request;
    if (subject === SETTLEMENT_QUEUE.releaseSubject && request.outcome !== 'post') return request;
    this.logger.error(
      { sequence, subject, requestId: request.holdId },
      'settlement by a subject that may not make it',
    );
    this.outcomes.inc({ outcome: 'forbidden' });
    message.term('forbidden');
    return undefined;
  }

  private giveBack(message: JsMsg, request: SettleHoldRequest, error: unknown): void {
    if (SvcError.is(error) && error.code === 'invalid_request') {
      this.logger.error({ requestId: request.holdId, err: error }, 'deferred settlement refused');
      this.outcomes.inc({ outcome: 'refused' });
      return message.term('refused');
    }
    const { deliveryCount: tries } = message.info;
    this.logger.warn({ requestId: request.holdId, tries, err: error }, 'deferred settlement put back');
    this.outcomes.inc({ outcome: 'retried' });
    this.retrying.set(idOf(message), performance.now());
    message.nak(Math.min(FIRST_RETRY_MS * tries, LONGEST_RETRY_MS));
  }

  private latest(message: JsMsg): JsMsg {
    const id = idOf(message);
    const latest = this.underWay.get(id) ?? message;
    this.underWay.delete(id);
    return latest;
  }
}

/**
 * The same for each delivery of a message, and no other's. Its sequence alone may be another's: a stream that was lost, or put back to what
 * it was before, begins there anew.
 */
function idOf({ seq, info }: JsMsg): string {
  return `${seq} ${info.timestampNanos}`;
}
