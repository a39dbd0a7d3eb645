import { Inject, Injectable } from '@nestjs/common';
import type { JudgeOfferRequest } from '@svc/contracts';
import { conflict, notFound } from '@svc/errors';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import { enqueueCertification } from '../certification-queue/certification-queue';
import { DATABASE } from '../database/tokens';

interface JudgedOffer {
  version: number;
  withdrawnAt: Date | null;
}

/** What operators decide about offers; each decision stands with its entry in the audit trail. */
@Injectable()
export class OperationStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly audit: AuditStore,
  ) {}

  /** @throws SvcError invalid_request (404 `offerId`) */
  suspend(request: JudgeOfferRequest): Promise<void> {
    const data = { suspendedAt: new Date(), suspensionReason: request.reason };
    return this.judge(request, 'offer.suspend', async (tx) => {
      await tx.offer.update({ where: { id: request.offerId }, data });
    });
  }

  /** @throws SvcError invalid_request (404 `offerId`) */
  reinstate(request: JudgeOfferRequest): Promise<void> {
    const data = { suspendedAt: null, suspensionReason: null };
    return this.judge(request, 'offer.reinstate', async (tx) => {
      await tx.offer.update({ where: { id: request.offerId }, data });
    });
  }

  /** Has the newest version certified, whether it was already or not. @throws SvcError invalid_request (404, 409 `offerId`) */
  certify(request: JudgeOfferRequest): Promise<void> {
    const { offerId } = request;
    return this.judge(request, 'offer.certify', async (tx, { version, withdrawnAt }) => {
      if (withdrawnAt) {
        throw conflict(
          `The offer ${offerId} is withdrawn; it can be certified once its provider has signed it anew.`,
          'offerId',
        );
      }
      await enqueueCertification(tx, { offerId, version, kind: 'full', by: 'house' });
    });
  }

  private async judge(
    { offerId, actor, reason }: JudgeOfferRequest,
    action: string,
    work: (tx: Prisma.TransactionClient, offer: JudgedOffer) => Promise<void>,
  ): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      const [offer] = await tx.$queryRaw<JudgedOffer[]>`
        SELECT version, withdrawn_at AS "withdrawnAt" FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
      if (!offer) throw notFound(`There is no offer ${offerId} here.`, 'offerId');
      await work(tx, offer);
      await this.audit.write(tx, { actor, action, subject: offerId, reason });
    });
  }
}
