import { Inject, Injectable } from '@nestjs/common';
import type { CertificationKind } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { CapacityTurns } from './capacity-turns';
import { CertificationEndings } from './certification-endings.service';
import { CertificationRun } from './certification-run';
import { CertificationRunStore } from './certification-run.store';
import type { RunJob } from './certification-run.store';
import { CertificationMetrics } from './certification.metrics';
import { ProbeCaller } from './probe-caller.service';
import { ProbeInterruptedError } from './probe-interrupted.error';
import type { ProbeState, RunRefusal } from './run-judgement';
import { scopeOf } from './run-judgement';
import { RunClock } from './run-clock';

/** Sees one claimed run through to its verdict. */
@Injectable()
export class RunConductor {
  private readonly turns = new CapacityTurns();

  constructor(
    private readonly store: CertificationRunStore,
    private readonly caller: ProbeCaller,
    private readonly endings: CertificationEndings,
    private readonly metrics: CertificationMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @throws ProbeInterruptedError when it has to go on later
   * @throws RunLostError when it is not this process's any more
   */
  async conduct(certificationId: string, signal: AbortSignal): Promise<void> {
    const job = await this.store.load(certificationId);
    const { kind, offerId } = job;
    const clock = new RunClock(runLimitMs(job.kind, this.endings.runTimeoutMs), job.workedMs);
    const run = new CertificationRun(job, {
      clock,
      probeTimeoutMs: this.endings.runTimeoutMs / 2,
      servesClients: await this.endings.clientsSince(offerId, job.startedAt),
      store: this.store,
      caller: this.caller,
      turns: this.turns,
      signal,
      onProbeEnd: (probe, { status }) => {
        if (status === 'failed') this.metrics.probeFailures.inc({ kind, probe });
      },
    });
    try {
      const refusal = await run.work();
      await this.conclude(job, run.probes, refusal);
      const outcome = refusal ? 'refused' : 'passed';
      this.metrics.runEnded(kind, outcome, job.startedAt);
      this.logger.info(
        { certificationId, offerId, kind, outcome, probe: refusal?.probe },
        'certification ended',
      );
    } catch (error) {
      if (!isBusyCanary(job, error)) throw error;
      const outcome = await this.endings.endBusyCanary(job);
      this.metrics.runEnded(kind, outcome);
      this.logger.info({ certificationId, offerId, kind, outcome }, 'the endpoint was too busy for a canary');
    } finally {
      clock.stop();
    }
  }

  private async conclude(
    job: RunJob,
    probes: readonly ProbeState[],
    refusal: RunRefusal | undefined,
  ): Promise<void> {
    if (job.kind === 'canary') return this.endings.endCanary(job, refusal);
    if (refusal) return this.endings.refuseFull(job, refusal);
    const { id: certificationId, ceiling, offer } = job;
    const { contextLimit } = offer.terms;
    await this.endings.passFull(job, scopeOf(probes, { certificationId, ceiling, contextLimit }));
  }
}

function runLimitMs(kind: CertificationKind, runTimeoutMs: number): number {
  return kind === 'canary' ? runTimeoutMs / 2 : runTimeoutMs;
}

function isBusyCanary(job: RunJob, error: unknown): boolean {
  return job.kind === 'canary' && error instanceof ProbeInterruptedError && error.interruption === 'busy';
}
