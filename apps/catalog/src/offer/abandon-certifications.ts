import type { CertificationKind } from '@svc/contracts';
import type { Prisma } from '@svc/persistence';

/** Ends the open certification of an offer whose outcome matters no more. @param kind only of this kind; of either without */
export async function abandonCertifications(
  tx: Prisma.TransactionClient,
  offerId: string,
  kind?: CertificationKind,
): Promise<void> {
  await tx.certification.updateMany({
    where: { offerId, status: { in: ['queued', 'running'] }, ...(kind && { kind }) },
    data: { status: 'abandoned', finishedAt: new Date(), runner: null, leasedUntil: null },
  });
}
