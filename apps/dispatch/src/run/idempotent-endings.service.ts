import { Inject, Injectable } from '@nestjs/common';
import { internalError, toErrorPayload } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DISPATCH_CONFIG, DispatchConfig } from '../dispatch.config';
import type { RunOutcome } from '../dispatch.metrics';
import type { Metered } from '../metering/meter';
import { RunMeter } from '../metering/run-meter.service';
import { servedUsage, usageBody } from '../metering/served-usage';
import { brokenOffError, planError } from '../plan/plan-error';
import type { ServedOutcome } from '../plan/plan-outcome';
import { invalid } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { SettlementService } from '../settlement/settlement.service';
import { StoredReplies } from '../settlement/stored-replies.service';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { writeStreamEnd } from './reply-ending';
import type { SharedRun } from './run';
import { interruption, servedBody } from './served-reply';
import { svcOf } from './svc-body';

/**
 * The ends an idempotent run can come to. A success is told only when its reply is stored and its charge is made, so that
 * every success under one key is the same one; whatever else happens costs nothing and frees the key.
 */
@Injectable()
export class IdempotentEndings {
  constructor(
    private readonly settlement: SettlementService,
    private readonly replies: StoredReplies,
    private readonly meter: RunMeter,
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A provider served: the reply is stored, charged, and then told to whoever listens. */
  async succeed(run: SharedRun, outcome: ServedOutcome): Promise<RunOutcome> {
    const { request, output } = run;
    const { planned, reply } = outcome;
    const metered = this.meter.meter(request, {
      planned,
      claimed: reply.usage,
      outputBytes: reply.outputBytes,
      toolCalls: reply.toolCalls.length,
    });
    const whole = this.conclude(run, outcome, metered);
    if (!whole) return this.fail(run, [invalid('too_large')]);
    if (!(await this.replies.store(request.hold, whole))) return this.undo(run, 'not_stored');
    // Its hold was let go of: a charge would be the platform's.
    if (run.stopReason === 'cancelled') return this.stopped(run);
    const usage = servedUsage(outcome, reply.finishReason, metered);
    const charged = await this.settlement.charge(request.hold, usage, metered.cost);
    // The hold had been let go of meanwhile, or its lease had run out: nothing stands under the key, so nothing is told.
    if (!charged) return this.undo(run, 'not_charged');
    output.end();
    return 'completed';
  }

  /** No offer served. */
  async fail({ request, output }: SharedRun, failures: readonly ProviderFailure[]): Promise<RunOutcome> {
    const error = output.delivered ? brokenOffError() : planError(failures);
    await this.settlement.void(request.hold, error.code);
    output.fail(JSON.stringify(error.payload));
    return error.code === 'no_capacity' ? 'no_capacity' : 'provider_output_invalid';
  }

  /** The run was stopped before its end. */
  async stopped(run: SharedRun): Promise<RunOutcome> {
    await this.undo(run, run.stopReason ?? 'stopped');
    return run.stopReason === 'cancelled' ? 'cancelled' : 'aborted';
  }

  /** Something of ours went wrong; whether the hold was posted by then does not matter to an abandon. */
  crash({ id, request, output }: SharedRun, error: unknown): RunOutcome {
    this.logger.error({ requestId: id, err: error }, 'run failed');
    this.settlement.abandon(request.hold, 'internal_error');
    output.fail(JSON.stringify(toErrorPayload(internalError())));
    return 'internal_error';
  }

  /** The success cannot stand. */
  private async undo({ request, output }: SharedRun, reason: string): Promise<RunOutcome> {
    await this.settlement.void(request.hold, reason);
    output.fail(interruption(output));
    return 'aborted';
  }

  /** @returns the whole reply as it is to be told; undefined when it is too large */
  private conclude(run: SharedRun, outcome: ServedOutcome, metered: Metered): Buffer | undefined {
    const { reply, writer } = outcome;
    const { environment } = this.config;
    const svc = svcOf(run.request, outcome, metered.cost, environment);
    if (!writer) return run.output.seal(servedBody(run, outcome, metered, svc));
    try {
      writer.rest(reply);
      writeStreamEnd(writer, reply, svc, usageBody(metered), environment);
      return run.output.seal('');
    } catch (error) {
      if (InvalidReplyError.is(error)) return undefined;
      throw error;
    }
  }
}
