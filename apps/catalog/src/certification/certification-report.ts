import type {
  CertificationKind,
  CertificationReport,
  CertificationStatus,
  CertifiedScope,
  ProbeExchange,
  ProbeReport,
  ProbeStatus,
} from '@svc/contracts';
import type { Prisma } from '@svc/persistence';

/** What a report is made of. */
type CertificationRow = Prisma.CertificationGetPayload<{
  include: { probes: true; offer: { include: { bundle: true } } };
}>;

const OPEN: readonly string[] = ['pending', 'running'];

/** A run as everybody may see it. What its exchanges show was made fit for that when they were stored. */
export function certificationReport(row: CertificationRow): CertificationReport {
  const { offer, probes, refusalProbe: probe, refusalMessage: message } = row;
  // The tables hold what this module wrote there.
  const result = row.result as unknown as CertifiedScope | null;
  return {
    id: row.id,
    kind: row.kind as CertificationKind,
    status: row.status as CertificationStatus,
    offerId: row.offerId,
    version: row.version,
    provider: offer.providerWallet,
    model: offer.bundle.modelId,
    bundle: offer.bundleId,
    profile: offer.profileId,
    meteringVersion: row.meteringVersion,
    requestedAt: row.requestedAt.toISOString(),
    ...moment('startedAt', row.startedAt),
    ...moment('finishedAt', row.finishedAt),
    ...moment('validUntil', row.validUntil),
    done: probes.filter(({ status }) => !OPEN.includes(status)).length,
    total: probes.length,
    probes: probes.map(probeReport),
    ...(result && { result }),
    ...(probe !== null && message !== null && { refusal: { probe, message } }),
  };
}

function probeReport(row: CertificationRow['probes'][number]): ProbeReport {
  return {
    name: row.name,
    required: row.required,
    status: row.status as ProbeStatus,
    ...(row.message !== null && { message: row.message }),
    ...moment('startedAt', row.startedAt),
    ...moment('finishedAt', row.finishedAt),
    figures: row.figures as Record<string, number>,
    exchanges: row.exchanges as unknown as ProbeExchange[],
  };
}

function moment<K extends string>(name: K, at: Date | null): Partial<Record<K, string>> {
  return at ? ({ [name]: at.toISOString() } as Record<K, string>) : {};
}
