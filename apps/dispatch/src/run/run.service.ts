import { Injectable } from '@nestjs/common';
import { AttemptService } from '../attempt/attempt.service';
import { DispatchMetrics } from '../dispatch.metrics';
import type { RunOutcome } from '../dispatch.metrics';
import type { Run, StopReason } from './run';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';

/** Takes runs from their start to one of their ends. */
@Injectable()
export class RunService {
  constructor(
    private readonly attempts: AttemptService,
    private readonly endings: RunEndings,
    private readonly registry: RunRegistry,
    private readonly metrics: DispatchMetrics,
  ) {}

  /** Starts the run; its ends are told by frames. A run that is known already is not started again. */
  start(run: Run): void {
    if (!this.registry.add(run)) return this.metrics.messageRefused('duplicate');
    void this.execute(run);
  }

  /** The client of a run hung up. */
  cancel(requestId: string): void {
    this.registry.find(requestId)?.stop('cancelled');
    const ended = this.registry.findUndelivered(requestId);
    if (ended) this.endings.cancelDelivery(ended);
  }

  /** Stops every run that `concerns` names. */
  stopAll(reason: StopReason, concerns: (run: Run) => boolean = () => true): void {
    for (const run of this.registry.liveRuns) if (concerns(run)) run.stop(reason);
  }

  private async execute(run: Run): Promise<void> {
    let outcome: RunOutcome;
    try {
      outcome = await this.serve(run);
    } catch (error) {
      outcome = this.endings.crash(run, error);
    }
    this.registry.remove(run);
    this.metrics.runEnded(outcome);
  }

  private async serve(run: Run): Promise<RunOutcome> {
    const outcome = await this.attempts.serve(run);
    switch (outcome.kind) {
      case 'served':
        return this.endings.succeed(run, outcome);
      case 'failed':
        return this.endings.fail(run, outcome.failures);
      case 'stopped':
        return this.endings.giveUp(run, outcome);
    }
  }
}
