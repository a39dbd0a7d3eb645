import { Injectable } from '@nestjs/common';
import { DispatchMetrics } from '../dispatch.metrics';
import type { RunOutcome } from '../dispatch.metrics';
import type { FailedOutcome, ServedOutcome, StoppedOutcome } from '../plan/plan-outcome';
import { PlanService } from '../plan/plan.service';
import { EarlyCancels } from './early-cancels';
import { IdempotentEndings } from './idempotent-endings.service';
import { isShared } from '../live-run/run';
import type { AnyRun, StopReason } from '../live-run/run';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';

/** What becomes of a run at its end, and whom it is told. */
interface Endings<R extends AnyRun> {
  succeed(run: R, outcome: ServedOutcome): Promise<RunOutcome>;
  fail(run: R, outcome: FailedOutcome): Promise<RunOutcome>;
  stopped(run: R, outcome: StoppedOutcome): Promise<RunOutcome>;
  crash(run: R, error: unknown): RunOutcome;
}

/** Takes runs from their start to one of their ends. */
@Injectable()
export class RunService {
  private readonly early = new EarlyCancels();

  constructor(
    private readonly plans: PlanService,
    private readonly endings: RunEndings,
    private readonly idempotent: IdempotentEndings,
    private readonly registry: RunRegistry,
    private readonly metrics: DispatchMetrics,
  ) {}

  /** Starts the run; its ends are told by frames. A run that is known already is not started again. */
  start(run: AnyRun): void {
    if (!this.registry.add(run)) return this.metrics.messageRefused('duplicate');
    if (this.early.take(run.id)) run.stop('cancelled');
    void this.execute(run);
  }

  /** The client of a run hung up; or the hold of an idempotent run was let go of. */
  cancel(requestId: string): void {
    const live = this.registry.find(requestId);
    if (live) return live.stop('cancelled');
    const ended = this.registry.findUndelivered(requestId);
    if (!ended) return this.early.add(requestId, performance.now());
    this.endings.cancelDelivery(ended);
  }

  /** Stops every run that `concerns` names. */
  stopAll(reason: StopReason, concerns: (run: AnyRun) => boolean = () => true): void {
    for (const run of this.registry.liveRuns) if (concerns(run)) run.stop(reason);
  }

  private async execute(run: AnyRun): Promise<void> {
    const outcome = await (isShared(run) ? this.bring(run, this.idempotent) : this.bring(run, this.endings));
    this.registry.remove(run);
    this.metrics.runEnded(outcome);
  }

  private async bring<R extends AnyRun>(run: R, endings: Endings<R>): Promise<RunOutcome> {
    try {
      const outcome = await this.plans.serve(run);
      run.isEnding = true;
      switch (outcome.kind) {
        case 'served':
          return await endings.succeed(run, outcome);
        case 'failed':
          return await endings.fail(run, outcome);
        case 'stopped':
          return await endings.stopped(run, outcome);
      }
    } catch (error) {
      return endings.crash(run, error);
    }
  }
}
