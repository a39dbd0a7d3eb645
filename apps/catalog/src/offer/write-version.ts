import type { CertifiedScope, SubmitOfferRequest } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { Prisma } from '@svc/persistence';
import { endOpenRun, enqueueCertification, handOnOpenRun } from '../certification-queue/certification-queue';
import { databaseNow } from '../database/database-now';
import { watchedAnew } from '../watch/findings';
import type { Finding } from '../watch/findings';
import { carriesOver, isProbedTheSame } from './carry-over';
import type { CertifiableTerms, CertifiedVersion } from './carry-over';

type NewVersion = SubmitOfferRequest & { offerId: string; digest: string };

/** What is stored of an offer before a version is added. */
interface StoredOffer {
  version: number;
  withdrawnAt: Date | null;
  finding: Finding;
  newest: CertifiableTerms;
  certified: CertifiedVersion | undefined;
}

const UNCERTIFIED = { liveVersion: null, certificationId: null, certifiedUntil: null };

/**
 * Adds a version to an offer, or makes the offer with its first. It is live at once where what was certified still holds for it,
 * else certified first, while the version that is certified goes on serving. An offer that was withdrawn starts anew,
 * but does not leave behind what watching suspended it for.
 */
export async function writeVersion(
  tx: Prisma.TransactionClient,
  request: NewVersion,
): Promise<WrittenVersion> {
  const { offerId, provider, bundle, profile } = request;
  const stored = await readOffer(tx, offerId);
  const version = (stored?.version ?? 0) + 1;
  const terms = termsOf(request, stored);
  const certified = stored?.withdrawnAt ? undefined : stored?.certified;
  const now = await databaseNow(tx);
  const isCarried = carriesOver(certified, terms, now);
  const data = {
    version,
    withdrawnAt: null,
    ...(stored?.withdrawnAt && { ...UNCERTIFIED, ...watchedAnew(stored.finding, now, now) }),
    ...(isCarried && { liveVersion: version }),
  };
  const owner = { providerWallet: provider, bundleId: bundle, profileId: profile };
  if (stored) await tx.offer.update({ where: { id: offerId }, data });
  else await tx.offer.create({ data: { id: offerId, ...owner, ...data } });
  await tx.offerVersion.create({ data: versionRow(request, version, terms) });
  // What is under way goes on, a canary as it is: or signing often would be a way around being looked at.
  const goesOn = await handOnOpenRun(tx, { offerId, version }, async (probed) =>
    isProbedTheSame(await readTerms(tx, offerId, probed), terms),
  );
  if (isCarried) {
    if (!goesOn) await endOpenRun(tx, { offerId, version });
    return { needsRun: false, summary: `version ${version}, certified as the one before` };
  }
  if (!goesOn) await enqueueCertification(tx, { offerId, version, kind: 'full' });
  return { needsRun: !goesOn, summary: `version ${version}, to be certified` };
}

/** What came of a version. */
interface WrittenVersion {
  /** Whether a run was ordered for it. */
  needsRun: boolean;
  /** For the audit trail. */
  summary: string;
}

/** A credential that is not repeated stays, for the same endpoint; an empty one takes it away. */
function termsOf(request: NewVersion, stored: StoredOffer | undefined): CertifiableTerms {
  const { endpoint, upstreamModel, concurrency, contextLimit, firstTokenTimeoutMs, chunkTimeoutMs } = request;
  const former = stored?.newest.endpoint === endpoint ? stored.newest.credential : null;
  const credential = request.credential === '' ? null : (request.credential ?? former);
  return {
    endpoint,
    upstreamModel,
    credential,
    concurrency,
    contextLimit,
    firstTokenTimeoutMs,
    chunkTimeoutMs,
  };
}

function versionRow(request: NewVersion, version: number, terms: CertifiableTerms) {
  return {
    offerId: request.offerId,
    version,
    providerWallet: request.provider,
    ...terms,
    inputPricePerMtok: parseBaseUnits(request.inputPricePerMtok),
    outputPricePerMtok: parseBaseUnits(request.outputPricePerMtok),
    expiresAt: new Date(request.expiresAt * 1_000),
    nonce: request.nonce,
    digest: request.digest,
    signature: request.signature,
  };
}

function readTerms(
  tx: Prisma.TransactionClient,
  offerId: string,
  version: number,
): Promise<CertifiableTerms> {
  return tx.offerVersion.findUniqueOrThrow({ where: { offerId_version: { offerId, version } } });
}

async function readOffer(tx: Prisma.TransactionClient, offerId: string): Promise<StoredOffer | undefined> {
  await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
  const offer = await tx.offer.findUnique({ where: { id: offerId } });
  if (!offer) return undefined;
  const { version, withdrawnAt, liveVersion, certificationId, certifiedUntil } = offer;
  const newest = await readTerms(tx, offerId, version);
  const stored = { version, withdrawnAt, finding: offer, newest, certified: undefined };
  if (liveVersion === null || certificationId === null || !certifiedUntil) return stored;
  const terms = await readTerms(tx, offerId, liveVersion);
  const { result } = await tx.certification.findUniqueOrThrow({ where: { id: certificationId } });
  // Written by the runner that certified it.
  const scope = result as unknown as CertifiedScope | null;
  return { ...stored, certified: scope ? { terms, scope, certifiedUntil } : undefined };
}
