import { Inject, Injectable } from '@nestjs/common';
import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import type { Metered } from './meter';
import { meterServed } from './served-usage';
import type { Served } from './served-usage';
import type { WholeReply } from '../validation/whole-reply';

/** What a chat template, or a system prompt of the provider's own, may add to a prompt: it is used, though nobody pays for it. */
const HIDDEN_PROMPT_TOKENS = 256;

/** Meters what was served of runs, and says so when a provider claims what cannot be. */
@Injectable()
export class RunMeter {
  constructor(
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Meters a whole reply: what nobody gets of it is not paid for. */
  meterReply(request: StartRunRequest, planned: RunAttempt, reply: WholeReply): Metered {
    const { usage: claimed, outputBytes, unwantedBytes, toolCalls } = reply;
    return this.meter(request, {
      planned,
      claimed,
      outputBytes: outputBytes - unwantedBytes,
      toolCalls: toolCalls.length,
    });
  }

  meter(request: StartRunRequest, served: Served): Metered {
    const metered = meterServed(request, served);
    const { offerId } = served.planned;
    const clamped = metered.unpaid > 0n;
    if (metered.tokenSource === 'provider' && !clamped) return metered;
    const { tokenSource, promptTokens, completionTokens, unpaid } = metered;
    if (tokenSource !== 'provider') this.metrics.usageAdjusted(offerId, tokenSource);
    if (clamped) this.metrics.usageAdjusted(offerId, 'clamped');
    this.metrics.unpaid(unpaid);
    if (clamped || (tokenSource === 'capped' && isTooMuch(served, metered))) {
      const { claimed, outputBytes } = served;
      this.logger.warn(
        {
          requestId: request.requestId,
          offerId,
          claimed,
          outputBytes,
          promptTokens,
          completionTokens,
          unpaid: unpaid.toString(),
        },
        'a provider claims more than it can have used, or was sent for',
      );
    }
    return metered;
  }
}

function isTooMuch({ claimed }: Served, { promptTokens, completionTokens }: Metered): boolean {
  if (!claimed) return false;
  return (
    claimed.promptTokens > promptTokens + HIDDEN_PROMPT_TOKENS || claimed.completionTokens > completionTokens
  );
}
