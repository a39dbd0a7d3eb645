import { randomBytes } from 'node:crypto';
import { METERING_VERSION } from '@svc/contracts';
import type { CertificationKind } from '@svc/contracts';
import type { Prisma } from '@svc/persistence';
import { probesOf } from './probe-names';

const ID_BYTES = 15;
const OPEN: readonly string[] = ['queued', 'running'];

/** What is to be certified. */
interface CertificationOrder {
  offerId: string;
  version: number;
  kind: CertificationKind;
  /** The provider's new version, unless told: an operator or the clock, whose order a new version does not do away with. */
  by?: 'provider' | 'house';
}

/**
 * Has a version of an offer certified: writes the run and its pending probes; a runner takes it up once the transaction is
 * committed. An offer has one open run of each kind: the one before is abandoned, and so never stands in the other kind's way.
 * @param tx the caller's transaction; takes the offer's row lock
 * @returns the run's id
 */
export async function enqueueCertification(
  tx: Prisma.TransactionClient,
  { offerId, version, kind, by = 'provider' }: CertificationOrder,
): Promise<string> {
  await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
  const former = await findOpenRun(tx, offerId, kind);
  await abandonOpenRuns(tx, { offerId, kind });
  const id = `cert_${randomBytes(ID_BYTES).toString('base64url')}`;
  await tx.certification.create({
    data: {
      id,
      offerId,
      version,
      kind,
      status: 'queued',
      meteringVersion: METERING_VERSION,
      orderedBy: by,
      owed: by === 'house' || former?.owed === true,
    },
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

/**
 * Lets an open full run that probes the same go on, for a new version.
 * @param probesTheSame whether nothing that is probed differs between a version and the new one
 * @returns false where no such run is open
 */
export async function handOnOpenRun(
  tx: Prisma.TransactionClient,
  { offerId, version }: Pick<CertificationOrder, 'offerId' | 'version'>,
  probesTheSame: (version: number) => Promise<boolean>,
): Promise<boolean> {
  const run = await findOpenRun(tx, offerId, 'full');
  if (!run || !(await probesTheSame(run.version))) return false;
  await tx.certification.update({ where: { id: run.id }, data: { version } });
  return true;
}

/**
 * Ends an open full run that says nothing of a new version, which is as good as certified; it is ordered anew where more than the
 * provider's own last version called for it.
 */
export async function endOpenRun(
  tx: Prisma.TransactionClient,
  { offerId, version }: Pick<CertificationOrder, 'offerId' | 'version'>,
): Promise<void> {
  const run = await findOpenRun(tx, offerId, 'full');
  if (!run) return;
  if (run.owed) await enqueueCertification(tx, { offerId, version, kind: 'full', by: 'house' });
  else await abandonOpenRuns(tx, { offerId, kind: 'full' });
}

/** Ends what is open of an offer's runs, of one kind or of both: its outcome matters no more. */
export async function abandonOpenRuns(
  tx: Prisma.TransactionClient,
  runs: { offerId: string; kind?: CertificationKind },
): Promise<void> {
  await tx.certification.updateMany({
    where: { ...runs, status: { in: [...OPEN] } },
    data: { status: 'abandoned', finishedAt: new Date(), runner: null, leasedUntil: null },
  });
}

/**
 * How many runs there are that wait or are under way, and keep others out by it. Those of suspended providers wait for as long as that
 * takes, and keep nobody out.
 * @param which by `c`, the run, and `o`, its offer
 */
export async function countOpenRuns(tx: Prisma.TransactionClient, which: Prisma.Sql): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count
    FROM catalog.certifications c
    JOIN catalog.offers o ON o.id = c.offer_id
    JOIN catalog.providers p ON p.wallet = o.provider_wallet
    WHERE c.status IN ('queued', 'running') AND p.suspended_at IS NULL AND ${which}`;
  return row?.count ?? 0;
}

function findOpenRun(tx: Prisma.TransactionClient, offerId: string, kind: CertificationKind) {
  return tx.certification.findFirst({ where: { offerId, kind, status: { in: [...OPEN] } } });
}
