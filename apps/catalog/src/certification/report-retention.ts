import type { Prisma } from '@svc/persistence';

/** Full runs of an offer whose exchanges are kept, besides the one that it is certified by. */
const FULL_RUNS_SHOWN = 10;
const CANARY_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Removes canaries of an offer that nobody looks for: those that passed or were given up before this one passed, and failed ones after
 * thirty days.
 */
export async function removeFormerCanaries(
  tx: Prisma.TransactionClient,
  { id, offerId, passed, endedAt }: { id: string; offerId: string; passed: boolean; endedAt: Date },
): Promise<void> {
  const old = { finishedAt: { lt: new Date(endedAt.getTime() - CANARY_DAYS * DAY_MS) } };
  const former = {
    offerId,
    kind: 'canary',
    id: { not: id },
    OR: [old, ...(passed ? [{ status: { in: ['passed', 'abandoned'] } }] : [])],
  };
  await tx.certificationProbe.deleteMany({ where: { certification: former } });
  await tx.certification.deleteMany({ where: former });
}

/**
 * Of an offer's older full runs the verdicts and figures stay for good, the exchanges do not: signing often must not fill the house.
 * An array, so that the probes are looked up by run: for an offer with many runs all probes of all offers would be read.
 */
export async function forgetOldExchanges(tx: Prisma.TransactionClient, offerId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE catalog.certification_probes SET exchanges = '[]'
    WHERE exchanges <> '[]' AND certification_id = ANY(ARRAY(
      SELECT c.id FROM catalog.certifications c JOIN catalog.offers o ON o.id = c.offer_id
      WHERE c.offer_id = ${offerId} AND c.kind = 'full' AND c.finished_at IS NOT NULL
        AND c.id IS DISTINCT FROM o.certification_id
      ORDER BY c.requested_at DESC OFFSET ${FULL_RUNS_SHOWN}))`;
}
