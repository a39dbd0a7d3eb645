import { Inject, Injectable } from '@nestjs/common';
import type { SettleHoldRequest, SettledHold } from '@svc/contracts';
import { internalError, invalidRequest } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import { LedgerService } from '../ledger/ledger.service';
import type { Resolution, ResolutionResult } from '../ledger/operation';
import { chargeOf } from './charge';

/** Where a resolution came from. */
type ResolutionSource = 'call' | 'queue' | 'sweeper';

/** Resolves holds as dispatch says, or as the lapse of a lease does. What charges leave owing is collected by `settlement/`. */
@Injectable()
export class ResolutionService {
  constructor(
    private readonly config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly ledger: LedgerService,
    private readonly metrics: LedgerMetrics,
  ) {}

  /**
   * @param deadlineMs on performance.now()'s clock, after which the caller has given up, and puts the settlement into the queue
   * @returns how the hold stands once the commit is durable; a repeat changes nothing
   * @throws SvcError invalid_request for a post without usage or of more than was held: the hold stays as it is
   */
  async settle(
    request: SettleHoldRequest,
    source: ResolutionSource,
    deadlineMs?: number,
  ): Promise<SettledHold> {
    const { state, charged } = await this.resolve(this.resolutionOf(request), source, deadlineMs);
    if (state === 'above_hold') {
      this.logger.error({ requestId: request.holdId, source }, 'post of more than was held refused');
      throw invalidRequest(
        'The served usage costs more than was held for the request; the hold stays as it is.',
        'usage',
      );
    }
    // Only an expiry finds the lease running.
    if (state === 'open') throw internalError();
    return { state, charged: String(charged) };
  }

  /** Frees the hold if its lease has lapsed. @returns whether it has */
  async expire(hold: { wallet: string; holdId: string }): Promise<boolean> {
    const { state } = await this.resolve({ type: 'expire', ...hold }, 'sweeper');
    return state === 'expired';
  }

  private async resolve(
    resolution: Resolution,
    source: ResolutionSource,
    deadlineMs?: number,
  ): Promise<ResolutionResult> {
    const result = await this.ledger.resolve(resolution, deadlineMs);
    this.metrics.settlements.inc({ outcome: result.state, source });
    if (result.state === 'late') {
      this.logger.warn({ requestId: resolution.holdId, source }, 'post came too late; the platform pays');
    }
    return result;
  }

  private resolutionOf({ holdId, wallet, outcome, usage, reason, failure }: SettleHoldRequest): Resolution {
    if (outcome !== 'post') {
      const notes = failure && { ...failure, route: failure.route && JSON.stringify(failure.route) };
      return { type: outcome, wallet, holdId, reason, failure: notes };
    }
    if (!usage) throw invalidRequest('A post needs the usage that was served.', 'usage');
    return { type: 'post', wallet, holdId, charge: chargeOf(usage, this.config.providerShareBps) };
  }
}
