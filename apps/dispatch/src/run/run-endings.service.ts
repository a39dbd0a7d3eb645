import { Inject, Injectable } from '@nestjs/common';
import { internalError, toErrorPayload } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchConfig } from '../dispatch.config';
import type { RunOutcome } from '../dispatch.metrics';
import type { Metered } from '../metering/meter';
import { RunMeter } from '../metering/run-meter.service';
import { servedUsage, usageBody } from '../metering/served-usage';
import { brokenOffError, planError } from '../plan/plan-error';
import type { FailedOutcome, ServedOutcome, StoppedOutcome } from '../plan/plan-outcome';
import { HoldService } from '../hold/hold.service';
import type { ChunkWriter } from '../validation/chunk-writer';
import { plainBody, writeStreamEnd } from './reply-ending';
import type { SoleRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';
import {
  INTERRUPTED,
  INTERRUPTION,
  failedOutcome,
  interruptionOf,
  endedByClient,
  runFailure,
} from './run-failure';
import { svcOf } from './svc-body';

/**
 * The ends a run can come to. Each resolves the hold first and says so afterwards: the client is told of a charge that
 * is made, and of a failure that costs nothing.
 */
@Injectable()
export class RunEndings {
  constructor(
    private readonly holds: HoldService,
    private readonly registry: RunRegistry,
    private readonly meter: RunMeter,
    private readonly config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A provider served: charge, then the end of the reply. */
  async succeed(run: SoleRun, outcome: ServedOutcome): Promise<RunOutcome> {
    const { planned, reply, writer } = outcome;
    if (isUnheard(run)) return this.stopped(run, outcome);
    const metered = this.meter.meterReply(run.request, planned, reply);
    writer?.rest(reply);
    const body = writer ? '' : this.bodyOf(run, outcome, metered, metered.cost);
    const usage = servedUsage(outcome, reply.finishReason, metered);
    const charged = await this.holds.post(run.request.hold, usage, metered.cost);
    // Somebody may have left while billing was at work.
    if (isUnheard(run)) return this.takeBack(run, outcome);
    if (writer) this.endStream(run, outcome, writer, metered, charged);
    else run.output.end(charged === metered.cost ? body : this.bodyOf(run, outcome, metered, charged));
    if (run.stopReason === 'cancelled') return 'cancelled';
    this.registry.awaitDelivery(run);
    return 'completed';
  }

  /** No offer served. */
  async fail(run: SoleRun, { failures, trail }: FailedOutcome): Promise<RunOutcome> {
    const error = run.output.delivered ? brokenOffError(trail.lastFailure) : planError(failures);
    await this.holds.void(run.request.hold, error.code, runFailure(run, error.code, trail));
    run.output.fail(JSON.stringify(error.payload));
    return failedOutcome(error);
  }

  /** The run was stopped before its end. @param outcome what had been served by then */
  async stopped(run: SoleRun, outcome?: StoppedOutcome | ServedOutcome): Promise<RunOutcome> {
    const { hold } = run.request;
    if (run.stopReason === 'gateway_lost' || run.stopReason === 'disconnected')
      return this.takeBack(run, outcome);
    if (run.stopReason === 'cancelled') {
      if ((await this.chargeSeen(run, outcome)) === undefined)
        await this.holds.void(hold, 'cancelled', runFailure(run, undefined, outcome?.trail));
      run.output.fail(INTERRUPTION);
      return 'cancelled';
    }
    if ((run.stopReason === 'slow_reader' || run.stopReason === 'crowded_out') && run.output.delivered) {
      run.output.flushRest();
      const charged = await this.chargeSeen(run, outcome);
      if (charged !== undefined) {
        run.output.fail(charged > 0n ? JSON.stringify(endedByClient(run.stopReason, charged)) : INTERRUPTION);
        return 'cancelled';
      }
    }
    await this.holds.void(
      hold,
      run.stopReason ?? 'stopped',
      runFailure(run, INTERRUPTED.code, outcome?.trail),
    );
    run.output.fail(JSON.stringify(interruptionOf(run)));
    return 'aborted';
  }

  /** Something of ours went wrong; whether the hold was posted by then does not matter to an abandon. */
  crash(run: SoleRun, error: unknown): RunOutcome {
    this.logger.error({ requestId: run.id, err: error }, 'run failed');
    this.holds.abandon(run.request.hold, 'internal_error', runFailure(run, 'internal_error'));
    run.output.fail(JSON.stringify(toErrorPayload(internalError())));
    return 'internal_error';
  }

  /** The end was sent, and the client turned out to be gone. */
  cancelDelivery(run: SoleRun): void {
    this.registry.forgetDelivery(run.id);
    if (!run.output.delivered) this.holds.abandon(run.request.hold, 'cancelled', runFailure(run, undefined));
  }

  /** The end was sent, and nobody can say that it arrived: should somebody wait for it still, it is a failure now. */
  abandonDelivery(run: SoleRun, reason: 'undelivered' | 'gateway_lost'): void {
    this.logger.warn({ requestId: run.id, reason }, 'a reply was not confirmed: its charge is taken back');
    this.holds.abandon(run.request.hold, reason, runFailure(run, INTERRUPTED.code));
    run.output.failInstead(INTERRUPTION);
    this.registry.noteFailure(run.output);
  }

  /**
   * NATS was lost and is back. Failures that were sent meanwhile, or just before, may be lost, and whoever missed one would
   * wait for it to the limit of any reply. Successes wait for their confirmation as ever: a failure told in their place
   * would be confirmed, and its confirmation pass for theirs; without one they are taken back and told as failed.
   */
  reconnected(): void {
    for (const output of this.registry.unconfirmedFailures) output.failInstead(INTERRUPTION);
  }

  private takeBack(run: SoleRun, outcome?: StoppedOutcome | ServedOutcome): RunOutcome {
    const reason = run.stopReason ?? 'stopped';
    const told = reason === 'cancelled' ? undefined : INTERRUPTED.code;
    this.holds.abandon(run.request.hold, reason, runFailure(run, told, outcome?.trail));
    // A gateway whose client is gone can forget the run; one that only stood still tells its client.
    run.output.fail(INTERRUPTION);
    return reason === 'cancelled' ? 'cancelled' : 'aborted';
  }

  /**
   * What the client has seen is paid for, up to where it left.
   * @returns what was charged, base units; undefined when it has seen nothing that anybody was still at work on
   */
  private async chargeSeen(
    run: SoleRun,
    outcome?: StoppedOutcome | ServedOutcome,
  ): Promise<bigint | undefined> {
    if (!run.output.delivered || outcome?.kind !== 'stopped' || !outcome.planned) return undefined;
    const { planned, passedOnBytes, trail, times } = outcome;
    const metered = this.meter.meterPart(run.request, planned, passedOnBytes);
    const usage = servedUsage({ planned, trail, times }, 'cancelled', metered);
    return this.holds.post(run.request.hold, usage, metered.cost);
  }

  private endStream(
    { request, output }: SoleRun,
    outcome: ServedOutcome,
    writer: ChunkWriter,
    metered: Metered,
    charged: bigint,
  ): void {
    const { environment } = this.config;
    const svc = svcOf(request, outcome, charged, environment);
    writeStreamEnd(writer, outcome.reply, svc, usageBody(metered), environment);
    output.end('');
  }

  private bodyOf(run: SoleRun, outcome: ServedOutcome, metered: Metered, charged: bigint): string {
    const svc = svcOf(run.request, outcome, charged, this.config.environment);
    return plainBody(run.request, outcome, svc, usageBody(metered));
  }
}

/** Whether nobody would hear of a success, or pay for it: then there is none. */
function isUnheard({ stopReason, output }: SoleRun): boolean {
  if (stopReason === 'cancelled') return !output.delivered;
  return stopReason === 'gateway_lost' || stopReason === 'disconnected';
}
