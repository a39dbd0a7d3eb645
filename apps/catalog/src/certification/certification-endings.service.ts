import { Inject, Injectable } from '@nestjs/common';
import type { CertifiedScope, ProbeRefusal } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import { DATABASE } from '../database/tokens';
import { PublicationService } from '../publication/publication.service';
import { recordCanary } from '../watch/canary-outcome';
import { UNWATCHED } from '../watch/watch-codes';
import type { RunJob } from './certification-run.store';
import { CERTIFICATION_SETTINGS } from './certification.settings';
import type { CertificationSettings } from './certification.settings';
import { forgetOldExchanges, removeFormerCanaries } from './report-retention';
import { RunLostError } from './run-lost.error';

const ACTOR = 'catalog';

type Ending = Prisma.CertificationUpdateManyMutationInput & { status: 'passed' | 'refused' | 'abandoned' };

/** Ends runs: what follows for the offer is written in the same commit, then published. */
@Injectable()
export class CertificationEndings {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(CERTIFICATION_SETTINGS) private readonly settings: CertificationSettings,
    private readonly audit: AuditStore,
    private readonly publication: PublicationService,
  ) {}

  /**
   * A full run's version is live from now on, for as long as the certification is good.
   * @throws RunLostError
   */
  async passFull(job: RunJob, scope: CertifiedScope): Promise<void> {
    const validUntil = new Date(Date.now() + this.settings.ttlMs);
    await this.end(job, { status: 'passed', result: { ...scope } as object, validUntil }, async (tx) => {
      await tx.offer.update({
        where: { id: job.offerId },
        data: {
          liveVersion: job.version,
          certificationId: job.id,
          certifiedUntil: validUntil,
          lastSeenAt: new Date(),
          ...UNWATCHED,
        },
      });
      const reason = `version ${job.version} is certified by ${job.id}`;
      await this.audit.write(tx, { actor: ACTOR, action: 'offer.live', subject: job.offerId, reason });
      await forgetOldExchanges(tx, job.offerId);
    });
    await this.publication.publish();
  }

  /**
   * A full run's version does not go live. Where it is the one that serves, it may have drifted: canaries will tell.
   * @throws RunLostError
   */
  async refuseFull(job: RunJob, refusal: ProbeRefusal): Promise<void> {
    await this.end(job, refused(refusal), async (tx) => {
      const reason = `version ${job.version}: ${refusal.probe}: ${refusal.message}`;
      await this.audit.write(tx, { actor: ACTOR, action: 'offer.refused', subject: job.offerId, reason });
      await forgetOldExchanges(tx, job.offerId);
      const offer = await tx.offer.findUniqueOrThrow({ where: { id: job.offerId } });
      if (offer.liveVersion === job.version) {
        await recordCanary(tx, { offerId: job.offerId, passed: false, ...refusal });
      }
    });
    await this.publication.publish();
  }

  /**
   * Watching draws the conclusion. Of canaries that passed only the last is kept.
   * @throws RunLostError
   */
  async endCanary(job: RunJob, refusal: ProbeRefusal | undefined): Promise<void> {
    const { offerId } = job;
    let changed = false;
    await this.end(job, refusal ? refused(refusal) : { status: 'passed' }, async (tx) => {
      const effect = await recordCanary(tx, { offerId, passed: !refusal, ...refusal });
      changed = effect === 'suspend' || effect === 'reinstate';
      await removeFormerCanaries(tx, { ...job, passed: !refusal });
      if (!refusal) await tx.offer.update({ where: { id: offerId }, data: { lastSeenAt: new Date() } });
    });
    if (changed) await this.publication.publish();
  }

  /** Gives a run up that nobody needs to come to an end. @throws RunLostError */
  async abandon(job: RunJob): Promise<void> {
    await this.end(job, { status: 'abandoned' }, () => Promise.resolve());
  }

  private async end(
    { id, offerId }: RunJob,
    ending: Ending,
    follow: (tx: Prisma.TransactionClient) => Promise<void>,
  ): Promise<void> {
    const { runner } = this.settings;
    await this.prisma.$transaction(async (tx) => {
      // The offer first, like whoever has it certified: so that nobody waits in a circle.
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
      const { count } = await tx.certification.updateMany({
        where: { id, runner, status: 'running' },
        data: { ...ending, finishedAt: new Date(), runner: null, leasedUntil: null },
      });
      if (count === 0) throw new RunLostError(id);
      await follow(tx);
    });
  }
}

function refused({ probe, message }: ProbeRefusal): Ending {
  return { status: 'refused', refusalProbe: probe, refusalMessage: message };
}
