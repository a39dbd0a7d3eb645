import { Inject, Injectable } from '@nestjs/common';
import type { RunAttempt } from '@svc/contracts';
import { internalError, noCapacity, toErrorPayload } from '@svc/errors';
import { formatUsdc } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { ServedOutcome, StoppedOutcome } from '../attempt/attempt.service';
import { fingerprintOf } from '../attempt/attempt.factory';
import { brokenOffError, planError } from '../attempt/plan-error';
import { DISPATCH_CONFIG, DispatchConfig } from '../dispatch.config';
import { DispatchMetrics } from '../dispatch.metrics';
import type { RunOutcome } from '../dispatch.metrics';
import type { Metered } from '../metering/meter';
import { meterServed, servedUsage, usageBody } from '../metering/served-usage';
import type { Served } from '../metering/served-usage';
import { invalid } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { SettlementService } from '../settlement/settlement.service';
import type { ChunkWriter } from '../validation/chunk-writer';
import { plainBody, writeStreamEnd } from './reply-ending';
import type { SvcBody } from './reply-ending';
import type { Run } from './run';
import { RunRegistry } from './run-registry.service';

const RETRY_AFTER_INTERRUPTION_SECONDS = 1;

/**
 * The ends a run can come to. Each resolves the hold first and says so afterwards: the client is told of a charge that
 * is made, and of a failure that costs nothing.
 */
@Injectable()
export class RunEndings {
  constructor(
    private readonly settlement: SettlementService,
    private readonly registry: RunRegistry,
    private readonly metrics: DispatchMetrics,
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A provider served: charge, then the end of the reply. */
  async succeed(run: Run, outcome: ServedOutcome): Promise<RunOutcome> {
    const { planned, reply, writer, attempts } = outcome;
    if (isUnheard(run)) return this.giveUp(run);
    const metered = this.meter(run, {
      planned,
      claimed: reply.usage,
      outputBytes: reply.outputBytes,
      toolCalls: reply.toolCalls.length,
    });
    writer?.rest(reply);
    const body = writer ? '' : plainEnd(run, outcome, metered, metered.cost);
    if (!run.output.fits(body)) return this.fail(run, [invalid('too_large')]);
    const usage = servedUsage(run.request, { planned, attempts, finishReason: reply.finishReason }, metered);
    const charged = await this.settlement.post(run.request.hold, usage, metered.cost);
    // Somebody may have left while billing was at work.
    if (isUnheard(run)) return this.takeBack(run);
    if (writer) this.endStream(run, outcome, writer, metered, charged);
    else run.output.end(charged === metered.cost ? body : plainEnd(run, outcome, metered, charged));
    if (run.stopReason === 'cancelled') return 'cancelled';
    this.registry.awaitDelivery(run);
    return 'completed';
  }

  /** No offer served. */
  async fail(run: Run, failures: readonly ProviderFailure[]): Promise<RunOutcome> {
    const error = run.output.delivered ? brokenOffError() : planError(failures);
    await this.settlement.void(run.request.hold, error.code);
    run.output.fail(JSON.stringify(error.payload));
    return error.code === 'no_capacity' ? 'no_capacity' : 'provider_output_invalid';
  }

  /** The run was stopped before its end. @param outcome what had been served by then */
  async giveUp(run: Run, outcome?: StoppedOutcome): Promise<RunOutcome> {
    const { hold } = run.request;
    if (run.stopReason === 'gateway_lost' || run.stopReason === 'disconnected') return this.takeBack(run);
    if (run.stopReason === 'cancelled') {
      // What the client has seen is paid for, up to where it left.
      if (run.output.delivered && outcome?.planned) await this.chargePart(run, outcome);
      else await this.settlement.void(hold, 'cancelled');
      run.output.fail(interruption(run));
      return 'cancelled';
    }
    await this.settlement.void(hold, run.stopReason ?? 'stopped');
    run.output.fail(interruption(run));
    return 'aborted';
  }

  /** Something of ours went wrong; whether the hold was posted by then does not matter to an abandon. */
  crash(run: Run, error: unknown): RunOutcome {
    this.logger.error({ requestId: run.id, err: error }, 'run failed');
    this.settlement.abandon(run.request.hold, 'internal_error');
    run.output.fail(JSON.stringify(toErrorPayload(internalError())));
    return 'internal_error';
  }

  /** The end was sent, and the client turned out to be gone. */
  cancelDelivery(run: Run): void {
    this.registry.forgetDelivery(run.id);
    if (!run.output.delivered) this.settlement.abandon(run.request.hold, 'cancelled');
  }

  /** The end was sent, and nobody can say that it arrived: should somebody wait for it still, it is a failure now. */
  abandonDelivery(run: Run, reason: 'undelivered' | 'gateway_lost'): void {
    this.logger.warn({ requestId: run.id, reason }, 'a reply was not confirmed: its charge is taken back');
    this.settlement.abandon(run.request.hold, reason);
    run.output.failInstead(interruption(run));
    this.registry.noteFailure(run.output);
  }

  /**
   * NATS was lost and is back. Failures that were sent meanwhile, or just before, may be lost, and whoever missed one would
   * wait for it to the limit of any reply. Successes wait for their confirmation as ever: a failure told in their place
   * would be confirmed, and its confirmation pass for theirs; without one they are taken back and told as failed.
   */
  reconnected(): void {
    for (const output of this.registry.unconfirmedFailures) output.failInstead(interruption({ output }));
  }

  private takeBack(run: Run): RunOutcome {
    const reason = run.stopReason ?? 'stopped';
    this.settlement.abandon(run.request.hold, reason);
    // Tells a gateway whose client is gone that it can forget the run.
    if (reason === 'gateway_lost') run.output.close();
    else run.output.fail(interruption(run));
    return reason === 'cancelled' ? 'cancelled' : 'aborted';
  }

  private async chargePart(run: Run, { planned, outputBytes, attempts }: StoppedOutcome): Promise<void> {
    if (!planned) return;
    const metered = this.meter(run, { planned, claimed: undefined, outputBytes, toolCalls: 0 });
    const usage = servedUsage(run.request, { planned, attempts, finishReason: 'cancelled' }, metered);
    await this.settlement.post(run.request.hold, usage, metered.cost);
  }

  private endStream(
    { output }: Run,
    { planned, reply }: ServedOutcome,
    writer: ChunkWriter,
    metered: Metered,
    charged: bigint,
  ): void {
    writeStreamEnd(writer, reply, svcOf(planned, charged), usageBody(metered), this.config.environment);
    output.end('');
  }

  private meter(run: Run, served: Served): Metered {
    const metered = meterServed(run.request, served);
    const { offerId } = served.planned;
    const clamped = metered.platformLoss > 0n;
    if (metered.tokenSource === 'provider' && !clamped) return metered;
    const { tokenSource, promptTokens, completionTokens, platformLoss } = metered;
    if (tokenSource !== 'provider') this.metrics.usageAdjusted(offerId, tokenSource);
    if (clamped) this.metrics.usageAdjusted(offerId, 'clamped');
    this.metrics.lost(platformLoss);
    if (tokenSource === 'capped' || clamped) {
      const { claimed, outputBytes } = served;
      this.logger.warn(
        {
          requestId: run.id,
          offerId,
          claimed,
          outputBytes,
          promptTokens,
          completionTokens,
          platformLoss: platformLoss.toString(),
        },
        'a provider claims more than it can have used',
      );
    }
    return metered;
  }
}

function plainEnd(
  { request }: Run,
  { planned, reply }: ServedOutcome,
  metered: Metered,
  charged: bigint,
): string {
  return plainBody(request, fingerprintOf(planned), reply, svcOf(planned, charged), usageBody(metered));
}

function svcOf({ provider }: RunAttempt, charged: bigint): SvcBody {
  return { cost_usdc: formatUsdc(charged), provider };
}

/** Whether nobody would hear of a success, or pay for it: then there is none. */
function isUnheard({ stopReason, output }: Run): boolean {
  if (stopReason === 'cancelled') return !output.delivered;
  return stopReason === 'gateway_lost' || stopReason === 'disconnected';
}

function interruption({ output }: Pick<Run, 'output'>): string {
  const error = output.delivered
    ? brokenOffError()
    : noCapacity('The request was interrupted. Nothing was charged.', RETRY_AFTER_INTERRUPTION_SECONDS);
  return JSON.stringify(error.payload);
}
