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
import type { PlanTrail } from '../plan/plan-trail';
import { invalid } from '../provider-client/provider-failure';
import { HoldService } from '../hold/hold.service';
import { StoredReplies } from './stored-replies.service';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { plainBody, writeStreamEnd } from './reply-ending';
import type { SharedRun } from '../live-run/run';
import { INTERRUPTED, failedOutcome, interruptionOf, runFailure } from './run-failure';
import { svcOf } from './svc-body';

/**
 * The ends an idempotent run can come to. A success is told only when its reply is stored and its charge is made, so that
 * every success under one key is the same one; whatever else happens costs nothing and frees the key.
 */
@Injectable()
export class IdempotentEndings {
  constructor(
    private readonly holds: HoldService,
    private readonly replies: StoredReplies,
    private readonly meter: RunMeter,
    private readonly config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A provider served: the reply is stored, charged, and then told to whoever listens. */
  async succeed(run: SharedRun, outcome: ServedOutcome): Promise<RunOutcome> {
    const { request, output } = run;
    const { planned, reply } = outcome;
    const metered = this.meter.meterReply(request, planned, reply);
    const whole = this.conclude(run, outcome, metered);
    if (!whole) return this.refuse(run, outcome);
    if (!(await this.replies.store(request.hold, whole))) return this.undo(run, 'not_stored', outcome.trail);
    // Its hold was let go of: a charge would be the platform's.
    if (run.stopReason === 'cancelled') return this.stopped(run, outcome);
    const usage = servedUsage(outcome, reply.finishReason, metered);
    const charged = await this.holds.postAsStored(request.hold, usage, metered.cost);
    // The hold had been let go of meanwhile, or its lease had run out: nothing stands under the key, so nothing is told.
    if (!charged) return this.undo(run, 'not_charged', outcome.trail);
    output.end();
    return 'completed';
  }

  /** No offer served. */
  async fail(run: SharedRun, { failures, trail }: Omit<FailedOutcome, 'kind'>): Promise<RunOutcome> {
    const { request, output } = run;
    const error = output.delivered ? brokenOffError(trail.lastFailure) : planError(failures);
    await this.holds.void(request.hold, error.code, runFailure(run, error.code, trail));
    output.fail(JSON.stringify(error.payload));
    return failedOutcome(error);
  }

  /** The run was stopped before its end. */
  async stopped(run: SharedRun, { trail }: Pick<StoppedOutcome, 'trail'>): Promise<RunOutcome> {
    await this.undo(run, run.stopReason ?? 'stopped', trail);
    return run.stopReason === 'cancelled' ? 'cancelled' : 'aborted';
  }

  /** Something of ours went wrong; whether the hold was posted by then does not matter to an abandon. */
  crash(run: SharedRun, error: unknown): RunOutcome {
    const { id, request, output } = run;
    this.logger.error({ requestId: id, err: error }, 'run failed');
    this.holds.abandon(request.hold, 'internal_error', runFailure(run, 'internal_error'));
    output.fail(JSON.stringify(toErrorPayload(internalError())));
    return 'internal_error';
  }

  /** The reply is larger than what is kept. */
  private refuse(run: SharedRun, { planned, trail }: ServedOutcome): Promise<RunOutcome> {
    const failure = invalid('undeliverable');
    trail.note(planned, failure);
    return this.fail(run, { failures: [failure], trail });
  }

  /** The success cannot stand. */
  private async undo(run: SharedRun, reason: string, trail: PlanTrail): Promise<RunOutcome> {
    const { request, output } = run;
    const told = reason === 'cancelled' ? undefined : INTERRUPTED.code;
    await this.holds.void(request.hold, reason, runFailure(run, told, trail));
    output.fail(JSON.stringify(interruptionOf(run)));
    return 'aborted';
  }

  /** @returns the whole reply as it is to be told; undefined when it is too large */
  private conclude(run: SharedRun, outcome: ServedOutcome, metered: Metered): Buffer | undefined {
    const { reply, writer } = outcome;
    const { environment } = this.config;
    const svc = svcOf(run.request, outcome, metered.cost, environment);
    const usage = usageBody(metered);
    if (!writer) return run.output.seal(plainBody(run.request, outcome, svc, usage));
    try {
      writer.rest(reply);
      writeStreamEnd(writer, reply, svc, usage, environment);
      return run.output.seal('');
    } catch (error) {
      if (InvalidReplyError.is(error)) return undefined;
      throw error;
    }
  }
}
