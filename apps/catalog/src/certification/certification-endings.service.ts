import { Inject, Injectable } from '@nestjs/common';
import type { CertifiedScope, ProbeRefusal } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import { abandonOpenRuns } from '../certification-queue/certification-queue';
import { databaseNow } from '../database/database-now';
import { DATABASE } from '../database/tokens';
import { PublicationService } from '../publication/publication.service';
import { recordCanary } from '../watch/canary/canary-outcome';
import { watchedAnew } from '../watch/findings';
import { OfferHealthView } from '../watch/health/offer-health.view';
import type { RunJob } from './certification-run.store';
import { CERTIFICATION_SETTINGS } from './certification.settings';
import type { CertificationSettings } from './certification.settings';
import { forgetOldExchanges, removeFormerCanaries } from './report-retention';
import type { RunRefusal } from './run-judgement';
import { RunLostError } from './run-lost.error';

const ACTOR = 'catalog';
/** How many canaries in a row must have been too many for an endpoint which serves nobody else, for the last one to fail. */
const BUSY_TO_FAIL = 3;
const BUSY_MESSAGE =
  'Canaries were answered with status 429, three or more in a row, and no request of a client has succeeded meanwhile.';

type Ending = Prisma.CertificationUpdateManyMutationInput & { status: 'passed' | 'refused' | 'abandoned' };

interface EndedRun {
  version: number;
  requestedAt: Date;
  endedAt: Date;
}

/** Ends runs: what follows for the offer is written in the same commit, then published. */
@Injectable()
export class CertificationEndings {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(CERTIFICATION_SETTINGS) private readonly settings: CertificationSettings,
    private readonly audit: AuditStore,
    private readonly publication: PublicationService,
    private readonly health: OfferHealthView,
  ) {}

  /** How long a run may be run for, ms. */
  get runTimeoutMs(): number {
    return this.settings.runTimeoutMs;
  }

  /**
   * Says whenever it is asked whether requests of clients have succeeded since then, as far as is known here.
   * @param since by the database's clock
   */
  async clientsSince(offerId: string, since: Date): Promise<() => boolean> {
    const agoMs = (await databaseNow(this.prisma)).getTime() - since.getTime();
    // Read after that: it may have waited for a connection.
    const sinceMs = performance.now() - agoMs;
    return () => this.health.succeededWithin(offerId, performance.now() - sinceMs);
  }

  /**
   * A full run's version is live from now on, for as long as the certification is good; or once a canary lifts what watching found and
   * this run is too early to.
   * @throws RunLostError
   */
  async passFull(job: RunJob, scope: CertifiedScope): Promise<void> {
    const untilFrom = (endedAt: Date) => new Date(endedAt.getTime() + this.settings.ttlMs);
    await this.end(
      job,
      (endedAt) => ({ status: 'passed', result: { ...scope } as object, validUntil: untilFrom(endedAt) }),
      async (tx, { version, requestedAt, endedAt }) => {
        const where = { id: job.offerId };
        const watched = watchedAnew(await tx.offer.findUniqueOrThrow({ where }), requestedAt, endedAt);
        await tx.offer.update({
          where,
          data: {
            liveVersion: version,
            certificationId: job.id,
            certifiedUntil: untilFrom(endedAt),
            lastSeenAt: endedAt,
            ...watched,
          },
        });
        const stands = watched.watchCode === null ? '' : `; it stays suspended for ${watched.watchCode}`;
        const reason = `version ${version} is certified by ${job.id}${stands}`;
        const action = watched.watchCode === null ? 'offer.live' : 'offer.certified';
        await this.audit.write(tx, { actor: ACTOR, action, subject: job.offerId, reason });
        // All that a canary under way could say is said; what waits for one has the next at its time.
        await abandonOpenRuns(tx, { offerId: job.offerId, kind: 'canary' });
        await forgetOldExchanges(tx, job.offerId);
      },
    );
    await this.publication.publish();
  }

  /**
   * A full run's version does not go live. Where it is the one that serves, it may have drifted: canaries will tell.
   * @throws RunLostError
   */
  async refuseFull(job: RunJob, refusal: RunRefusal): Promise<void> {
    await this.end(
      job,
      () => refused(refusal),
      async (tx, { version, requestedAt }) => {
        const reason = `version ${version}: ${refusal.probe}: ${refusal.message}`;
        await this.audit.write(tx, { actor: ACTOR, action: 'offer.refused', subject: job.offerId, reason });
        await forgetOldExchanges(tx, job.offerId);
        const offer = await tx.offer.findUniqueOrThrow({ where: { id: job.offerId } });
        if (offer.liveVersion === version) {
          await recordCanary(tx, { offerId: job.offerId, requestedAt, passed: false, ...refusal });
        }
      },
    );
    await this.publication.publish();
  }

  /**
   * Watching draws the conclusion. Of canaries that passed only the last is kept.
   * @param counts what is counted of the offer when it is refused
   * @throws RunLostError
   */
  async endCanary(
    job: RunJob,
    refusal: RunRefusal | undefined,
    counts?: Pick<Prisma.OfferUpdateInput, 'busyCanaries'>,
  ): Promise<void> {
    const { offerId } = job;
    let changed = false;
    await this.end(
      job,
      () => (refusal ? refused(refusal) : { status: 'passed' }),
      async (tx, { requestedAt, endedAt }) => {
        const effect = await recordCanary(tx, { offerId, requestedAt, passed: !refusal, ...refusal });
        changed = effect === 'suspend' || effect === 'reinstate';
        await removeFormerCanaries(tx, { ...job, passed: !refusal, endedAt });
        const data = refusal ? counts : { lastSeenAt: endedAt };
        if (data) await tx.offer.update({ where: { id: offerId }, data });
      },
    );
    if (changed) await this.publication.publish();
  }

  /**
   * A canary that was answered with 429 says nothing of an offer that serves its clients meanwhile. Where none was served, three in a
   * row have failed, and each one after them.
   * @throws RunLostError
   */
  async endBusyCanary(job: RunJob): Promise<'abandoned' | 'refused'> {
    const { offerId, startedAt } = job;
    const { busyCanaries, busySince } = await this.prisma.offer.findUniqueOrThrow({ where: { id: offerId } });
    const since = busySince ?? startedAt;
    const serves = (await this.clientsSince(offerId, since))();
    if (!serves && busyCanaries + 1 >= BUSY_TO_FAIL) {
      const refusal = { probe: 'plain_text', message: BUSY_MESSAGE };
      await this.endCanary(job, refusal, { busyCanaries: { increment: 1 } });
      return 'refused';
    }
    const data = serves
      ? { busyCanaries: 0, busySince: null }
      : { busyCanaries: { increment: 1 }, busySince: since };
    await this.end(
      job,
      () => ({ status: 'abandoned' }),
      async (tx) => {
        await tx.offer.update({ where: { id: offerId }, data });
      },
    );
    return 'abandoned';
  }

  private async end(
    { id, offerId }: RunJob,
    endingAt: (endedAt: Date) => Ending,
    follow: (tx: Prisma.TransactionClient, run: EndedRun) => Promise<void>,
  ): Promise<void> {
    const { runner } = this.settings;
    await this.prisma.$transaction(async (tx) => {
      // The offer first, like whoever has it certified: so that nobody waits in a circle.
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
      const endedAt = await databaseNow(tx);
      const { count } = await tx.certification.updateMany({
        where: { id, runner, status: 'running' },
        data: { ...endingAt(endedAt), finishedAt: endedAt, runner: null, leasedUntil: null },
      });
      if (count === 0) throw new RunLostError(id);
      // A version that is probed the same may have taken the place of the one it began with.
      const run = await tx.certification.findUniqueOrThrow({
        where: { id },
        select: { version: true, requestedAt: true },
      });
      await follow(tx, { ...run, endedAt });
    });
  }
}

function refused({ probe, message }: ProbeRefusal): Ending {
  return { status: 'refused', refusalProbe: probe, refusalMessage: message };
}
