import { randomBytes } from 'node:crypto';
import { METERING_VERSION } from '@svc/contracts';
import type { CertificationKind } from '@svc/contracts';
import type { Prisma } from '@svc/persistence';
import { probesOf } from './probe-names';

const ID_BYTES = 15;

/** What is to be certified. */
export interface CertificationOrder {
  offerId: string;
  version: number;
  kind: CertificationKind;
}

/**
 * Has a version of an offer certified: writes the run and its pending probes; a runner takes it up once the transaction is
 * committed. An offer has one open run at a time: an open one is abandoned, except that a canary never takes a full run's place.
 * @param tx the caller's transaction; takes the offer's row lock
 * @returns the run's id; of the open full run when a canary was asked for beside it
 */
export async function enqueueCertification(
  tx: Prisma.TransactionClient,
  { offerId, version, kind }: CertificationOrder,
): Promise<string> {
  await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
  const open = { offerId, status: { in: ['queued', 'running'] } };
  if (kind === 'canary') {
    const full = await tx.certification.findFirst({ where: { ...open, kind: 'full' }, select: { id: true } });
    if (full) return full.id;
  }
  await tx.certification.updateMany({
    where: open,
    data: { status: 'abandoned', finishedAt: new Date(), runner: null, leasedUntil: null },
  });
  const id = `cert_${randomBytes(ID_BYTES).toString('base64url')}`;
  await tx.certification.create({
    data: { id, offerId, version, kind, status: 'queued', meteringVersion: METERING_VERSION },
  });
  await tx.certificationProbe.createMany({
    data: probesOf(kind).map((probe, position) => ({
      certificationId: id,
      position,
      ...probe,
      status: 'pending',
    })),
  });
  return id;
}
