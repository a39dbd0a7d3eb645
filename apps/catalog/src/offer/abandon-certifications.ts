import type { Prisma } from '@svc/persistence';

/** Ends the open certifications of an offer, whose outcome matters no more. */
export async function abandonCertifications(tx: Prisma.TransactionClient, offerId: string): Promise<void> {
  await tx.certification.updateMany({
    where: { offerId, status: { in: ['queued', 'running'] } },
    data: { status: 'abandoned', finishedAt: new Date(), runner: null, leasedUntil: null },
  });
}
