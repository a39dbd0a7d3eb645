import { Inject, Injectable } from '@nestjs/common';
import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { seenBytes } from '../validation/whole-reply';
import type { WholeReply } from '../validation/whole-reply';
import { meter } from './meter';
import type { Metered, Observation } from './meter';
import { countPromptTokens } from './token-count';

/** What a chat template, or a system prompt of the provider's own, may add to a prompt: it is used, though nobody pays for it. */
const HIDDEN_PROMPT_TOKENS = 256;

type Observed = Omit<Observation, 'countPrompt'>;

/** Meters what was served of runs, and says so when a provider claims what cannot be. */
@Injectable()
export class RunMeter {
  constructor(
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Meters a whole reply: what nobody gets of it, or sees, is not paid for. */
  meterReply(request: StartRunRequest, planned: RunAttempt, reply: WholeReply): Metered {
    const { usage: claimed, toolCalls } = reply;
    const outputBytes = seenBytes(reply) - reply.unwantedBytes;
    const observed = { claimed, outputBytes, toolCalls: toolCalls.length };
    return this.meter(request, planned, observed);
  }

  /** Meters what was passed on of a reply that was broken off: its claim, if there is one, is of all of it. */
  meterPart(request: StartRunRequest, planned: RunAttempt, passedOnBytes: number): Metered {
    return this.meter(request, planned, { claimed: undefined, outputBytes: passedOnBytes, toolCalls: 0 });
  }

  private meter(request: StartRunRequest, planned: RunAttempt, observed: Observed): Metered {
    const metered = meter(
      { ...observed, countPrompt: () => countPromptTokens(request.body) },
      {
        inputEstimate: request.inputEstimate,
        maxTokens: request.maxTokens,
        held: parseBaseUnits(request.hold.amount),
        prices: {
          inputPerMtok: parseBaseUnits(planned.inputPricePerMtok),
          outputPerMtok: parseBaseUnits(planned.outputPricePerMtok),
        },
      },
    );
    const { offerId } = planned;
    const clamped = metered.unpaid > 0n;
    if (metered.tokenSource === 'provider' && !clamped) return metered;
    const { tokenSource, promptTokens, completionTokens, unpaid } = metered;
    if (tokenSource !== 'provider') this.metrics.usageAdjusted(offerId, tokenSource);
    if (clamped) this.metrics.usageAdjusted(offerId, 'clamped');
    this.metrics.unpaid(unpaid);
    if (clamped || isTooMuch(observed, metered)) {
      const { claimed, outputBytes } = observed;
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

function isTooMuch({ claimed }: Observed, { promptTokens, completionTokens }: Metered): boolean {
  if (!claimed) return false;
  return (
    claimed.promptTokens > promptTokens + HIDDEN_PROMPT_TOKENS || claimed.completionTokens > completionTokens
  );
}
