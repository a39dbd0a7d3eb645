import { Inject, Injectable } from '@nestjs/common';
import type { CertificationKind, CertifiedScope, ModelCapabilities, ProbeExchange } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import type { ProbeName } from '../certification-queue/probe-names';
import { CLAIM_LOCK } from '../database/locks';
import { DATABASE } from '../database/tokens';
import { fromRow } from '../definitions/definition-rows';
import { CERTIFICATION_SETTINGS } from './certification.settings';
import type { CertificationSettings } from './certification.settings';
import { nextRun } from './claim-order';
import type { ProbedOffer } from './probe-examiner';
import type { ProbeTerms, Verdict } from './probes/probe';
import type { ProbeState } from './run-judgement';
import { RunLostError } from './run-lost.error';

/** A run with all that it needs to know. */
export interface RunJob {
  readonly id: string;
  readonly offerId: string;
  readonly version: number;
  readonly kind: CertificationKind;
  readonly startedAt: Date;
  /** How long it has been run for before, ms; how often it found the endpoint too busy with clients. */
  readonly workedMs: number;
  readonly busyTimes: number;
  /** What its questions are drawn from. */
  readonly seed: string;
  /** Whether clients are served by the very version that is probed. */
  readonly isServing: boolean;
  readonly offer: ProbedOffer;
  /** The operator's definition of the model. */
  readonly ceiling: ModelCapabilities;
  /** Of a canary, and of a version that serves: what the offer is certified for. */
  readonly certified?: CertifiedScope | null;
  readonly probes: readonly ProbeState[];
}

/** For how long nobody takes a run up. */
export interface Rest {
  readonly afterMs: number;
  /** The run found the endpoint too busy with clients. */
  readonly wasBusy?: boolean;
}

/** How a probe ended. */
export interface ProbeEnd extends Pick<Verdict, 'message' | 'figures'> {
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly exchanges: readonly ProbeExchange[];
  /** Of one that failed, for whoever runs it: what failed may be over a while later. */
  readonly isPassing?: boolean;
}

/** Runs and their probes in the tables. What is written of a run is written by whoever has its lease, and by nobody else. */
@Injectable()
export class CertificationRunStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(CERTIFICATION_SETTINGS) private readonly settings: CertificationSettings,
  ) {}

  /**
   * Takes a run that nobody has a lease on; `nextRun` says which. Probes that were running are begun again.
   * @param underWay what this instance runs already
   * @returns undefined when there is none
   */
  async claim(underWay: readonly string[]): Promise<string | undefined> {
    const { runner, leaseMs } = this.settings;
    // One instance after the other: two must not take a provider's runs at once.
    const [, runs] = await this.prisma.$transaction([
      this.prisma.$executeRaw`SELECT pg_advisory_xact_lock(${CLAIM_LOCK}::bigint)`,
      this.prisma.$queryRaw<{ id: string }[]>`
        UPDATE catalog.certifications SET status = 'running', runner = ${runner},
          leased_until = now() + ${leaseMs} * interval '1 ms', started_at = coalesce(started_at, now())
        WHERE id = (${nextRun(this.settings, underWay)})
        RETURNING id`,
    ]);
    const [run] = runs;
    if (!run) return undefined;
    await this.reopenProbes(run.id);
    return run.id;
  }

  /** Whether the run is still this process's; if so, it is for another while. */
  async renew(id: string): Promise<boolean> {
    const { runner, leaseMs } = this.settings;
    const renewed = await this.prisma.$executeRaw`
      UPDATE catalog.certifications SET leased_until = now() + ${leaseMs} * interval '1 ms'
      WHERE id = ${id} AND runner = ${runner} AND status = 'running'`;
    return renewed > 0;
  }

  /** Leaves the run to whoever takes it up after its rest. */
  async release(id: string, { afterMs, wasBusy }: Rest): Promise<void> {
    await this.reopenProbes(id);
    await this.prisma.$executeRaw`
      UPDATE catalog.certifications SET runner = NULL, leased_until = now() + ${afterMs} * interval '1 ms',
        busy_times = busy_times + ${wasBusy ? 1 : 0}
      WHERE id = ${id} AND runner = ${this.settings.runner} AND status = 'running'`;
  }

  /** @throws RunLostError */
  async load(id: string): Promise<RunJob> {
    const run = await this.prisma.certification.findFirst({
      where: { id, runner: this.settings.runner, status: 'running' },
      include: {
        terms: true,
        probes: { omit: { exchanges: true }, orderBy: { position: 'asc' } },
        offer: { include: { bundle: { include: { model: true } } } },
      },
    });
    if (!run) throw new RunLostError(id);
    const kind = run.kind as CertificationKind;
    const model = fromRow.models(run.offer.bundle.model);
    const isServing = run.version === run.offer.liveVersion;
    return {
      id,
      offerId: run.offerId,
      version: run.version,
      kind,
      startedAt: run.startedAt ?? new Date(),
      workedMs: run.workedMs,
      busyTimes: run.busyTimes,
      seed: run.seed,
      isServing,
      offer: {
        endpoint: {
          provider: run.offer.providerWallet,
          endpoint: run.terms.endpoint,
          upstreamModel: run.terms.upstreamModel,
          ...(run.terms.credential !== null && { credential: run.terms.credential }),
        },
        terms: this.termsOf(run.terms, model),
      },
      ceiling: model.capabilities,
      ...((kind === 'canary' || isServing) && {
        certified: await this.certifiedScope(run.offer.certificationId),
      }),
      probes: run.probes.map(probeState),
    };
  }

  /** @throws RunLostError */
  async begin(id: string, name: ProbeName): Promise<void> {
    await this.writeProbe(id, name, Prisma.sql`status = 'running', started_at = now()`);
  }

  /** @param workedMs how long the run has been run for by now @throws RunLostError */
  async end(id: string, name: ProbeName, end: ProbeEnd, workedMs: number): Promise<void> {
    // First: a run that was over in time, and one that was not, are told apart by this when it is taken up again.
    await this.noteWork(id, workedMs);
    await this.writeProbe(
      id,
      name,
      Prisma.sql`status = ${end.status}, message = ${end.message ?? null}, finished_at = now(),
        figures = ${JSON.stringify(end.figures)}::jsonb, exchanges = ${JSON.stringify(end.exchanges)}::jsonb`,
    );
  }

  /** Leaves the probe to be done again, and shows what came of it so far. @param workedMs as above @throws RunLostError */
  async postpone(
    id: string,
    name: ProbeName,
    end: Omit<ProbeEnd, 'status'>,
    workedMs: number,
  ): Promise<void> {
    await this.noteWork(id, workedMs);
    await this.writeProbe(
      id,
      name,
      Prisma.sql`status = 'pending', started_at = NULL, message = ${end.message ?? null},
        figures = ${JSON.stringify(end.figures)}::jsonb, exchanges = ${JSON.stringify(end.exchanges)}::jsonb`,
    );
  }

  /** How many runs are open, whoever runs them. */
  countOpen(): Promise<number> {
    return this.prisma.certification.count({ where: { status: { in: ['queued', 'running'] } } });
  }

  private async noteWork(id: string, workedMs: number): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE catalog.certifications SET worked_ms = ${workedMs}
      WHERE id = ${id} AND runner = ${this.settings.runner} AND status = 'running'`;
  }

  private async writeProbe(id: string, name: ProbeName, set: Prisma.Sql): Promise<void> {
    const written = await this.prisma.$executeRaw`
      UPDATE catalog.certification_probes p SET ${set} FROM catalog.certifications c
      WHERE p.certification_id = ${id} AND p.name = ${name} AND c.id = p.certification_id
        AND c.runner = ${this.settings.runner} AND c.status = 'running'`;
    if (written === 0) throw new RunLostError(id);
  }

  private async reopenProbes(id: string): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE catalog.certification_probes p SET status = 'pending', started_at = NULL FROM catalog.certifications c
      WHERE p.certification_id = ${id} AND p.status = 'running' AND c.id = p.certification_id
        AND c.runner = ${this.settings.runner} AND c.status = 'running'`;
  }

  private termsOf(
    version: Prisma.OfferVersionGetPayload<object>,
    model: { contextLimit: number; capabilities: ModelCapabilities },
  ): ProbeTerms {
    const { maxArgumentBytes, callTimeoutMs, argumentBudgetMs } = this.settings;
    const contextLimit = Math.min(version.contextLimit, model.contextLimit);
    return {
      firstTokenTimeoutMs: version.firstTokenTimeoutMs,
      chunkTimeoutMs: version.chunkTimeoutMs,
      callTimeoutMs,
      concurrency: version.concurrency,
      contextLimit,
      maxOutputTokens: Math.min(model.capabilities.maxOutputTokens, contextLimit),
      maxArgumentBytes,
      argumentBudgetMs,
      reasoning: model.capabilities.reasoning,
    };
  }

  private async certifiedScope(certificationId: string | null): Promise<CertifiedScope | null> {
    if (certificationId === null) return null;
    const where = { id: certificationId };
    const run = await this.prisma.certification.findUnique({ where, select: { result: true } });
    // Written by whoever ended that run.
    return (run?.result ?? null) as unknown as CertifiedScope | null;
  }
}

/** The tables hold what this module wrote there. */
function probeState(
  row: Pick<
    Prisma.CertificationProbeGetPayload<object>,
    'name' | 'required' | 'status' | 'message' | 'figures'
  >,
): ProbeState {
  return {
    name: row.name as ProbeName,
    required: row.required,
    status: row.status as ProbeState['status'],
    message: row.message,
    figures: row.figures as Record<string, number>,
  };
}
