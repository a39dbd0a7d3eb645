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

/** Lets go of holds whose request failed at the gateway: durably, since a lost word would keep money held. */
@Injectable()
export class HoldRelease implements OnApplicationShutdown {
  constructor(
    private readonly publisher: DurablePublisher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Frees an open hold, refunds a posted one. Repeats change nothing.
   * @param reason a word for logs and statements
   */
  abandon({ holdId, wallet }: HoldReference, reason: string): void {
    this.release({ holdId, wallet, outcome: 'abandon', reason });
  }

  /**
   * As `abandon`; of an idempotent request a hold that was posted stands, since its reply is there for whoever repeats it.
   * @param idempotent whether it has an `Idempotency-Key`
   * @param code what the client is told, if it is told anything
   */
  letGo({ holdId, wallet }: HoldReference, idempotent: boolean, reason: string, code?: ErrorCode): void {
    const outcome = idempotent ? 'void' : 'abandon';
    this.release({ holdId, wallet, outcome, reason, ...failureOf(code) });
  }

  private release(request: ReleaseHoldRequest): void {
    const { holdId, outcome, reason } = request;
    this.logger.warn({ requestId: holdId, outcome, reason }, 'hold let go of');
    void this.publisher.publish(SETTLEMENT_QUEUE.releaseSubject, `${holdId}:${outcome}`, request);
  }

  /** What is not stored by then is freed by the leases. */
  async onApplicationShutdown(): Promise<void> {
    await within(DRAIN_MS, this.publisher.drain());
  }
}

function failureOf(code: ErrorCode | undefined): Pick<ReleaseHoldRequest, 'failure'> {
  return code === undefined ? {} : { failure: { code } };
}
