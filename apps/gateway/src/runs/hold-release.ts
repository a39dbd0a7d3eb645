import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { SETTLEMENT_QUEUE } from '@svc/contracts';
import type { HoldReference, ReleaseHoldRequest } from '@svc/contracts';
import type { ErrorCode } from '@svc/errors';
import { DurablePublisher } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { within } from '@svc/time-limit';

const DRAIN_MS = 2_000;

interface LettingGo {
  /** Whether the request has an `Idempotency-Key`. */
  idempotent: boolean;
  /** A word for logs and statements. */
  reason: string;
  /** What the client is told, if it is told anything. */
  code?: ErrorCode;
}

/** Lets go of holds whose request failed at the gateway: durably, since a lost word would keep money held. */
@Injectable()
export class HoldRelease implements OnApplicationShutdown {
  constructor(
    private readonly publisher: DurablePublisher<ReleaseHoldRequest>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** How many holds are to be let go of and the queue has not taken that yet: it is lost with this process. */
  get pending(): number {
    return this.publisher.pending.size;
  }

  /**
   * Frees an open hold, refunds a posted one. Repeats change nothing.
   * @param reason a word for logs and statements
   */
  abandon({ holdId, wallet }: HoldReference, reason: string): void {
    this.release({ holdId, wallet, outcome: 'abandon', reason });
  }

  /**
   * As `abandon`; of an idempotent request a hold that was posted stands, since its reply is there for whoever repeats it.
   */
  letGo({ holdId, wallet }: HoldReference, { idempotent, reason, code }: LettingGo): void {
    const outcome = idempotent ? 'void' : 'abandon';
    this.release({ holdId, wallet, outcome, reason, ...failureOf(code) });
  }

  private release(request: ReleaseHoldRequest): void {
    const { holdId, outcome, reason } = request;
    this.logger.warn({ requestId: holdId, outcome, reason }, 'hold let go of');
    void this.publisher.publish(SETTLEMENT_QUEUE.releaseSubject, `${holdId}:${outcome}`, request);
  }

  /** What is not stored by then is freed by the leases, or taken back by dispatch, which hears of no delivery. */
  async onApplicationShutdown(): Promise<void> {
    if (await within(DRAIN_MS, this.publisher.drain())) return;
    for (const { holdId, outcome } of this.publisher.pending)
      this.logger.error(
        { requestId: holdId, outcome },
        'that the hold is let go of was not taken by the queue',
      );
  }
}

function failureOf(code: ErrorCode | undefined): Pick<ReleaseHoldRequest, 'failure'> {
  return code === undefined ? {} : { failure: { code } };
}
