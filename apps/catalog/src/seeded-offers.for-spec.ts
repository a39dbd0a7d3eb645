import { offerIdOf } from '@svc/supply-messages';
import type { CertifiedScope } from '@svc/contracts';
import type { PrismaClient } from '@svc/persistence';
import { scopeOf } from './publication/certified-offer.for-spec';

const DAY_MS = 24 * 3_600_000;

interface SeededOffer {
  id?: string;
  provider?: string;
  bundle?: string;
  profile?: string;
  inputPricePerMtok?: bigint;
  scope?: CertifiedScope;
}

/** A certified offer as it stands in the tables, one a provider. What certified it is there as well. */
export async function seedOffer(prisma: PrismaClient, offer: SeededOffer = {}): Promise<string> {
  const provider = offer.provider ?? walletOf(offer.id ?? '');
  const [bundleId, profileId] = [offer.bundle ?? 'tiny-q4', offer.profile ?? 'cpu-8k'];
  const id = offer.id ?? offerIdOf(provider, bundleId, profileId);
  const until = new Date(Date.now() + 30 * DAY_MS);
  await prisma.$transaction(async (tx) => {
    await tx.provider.createMany({ data: [{ wallet: provider, name: 'seeded' }], skipDuplicates: true });
    await tx.offer.create({
      data: {
        id,
        providerWallet: provider,
        bundleId,
        profileId,
        version: 1,
        liveVersion: 1,
        certificationId: `cert_${id}`,
        certifiedUntil: until,
        nextHeartbeatAt: until,
        nextCanaryAt: until,
      },
    });
    await tx.offerVersion.create({ data: versionOf(id, provider, offer.inputPricePerMtok, until) });
    await tx.certification.create({
      data: {
        id: `cert_${id}`,
        offerId: id,
        version: 1,
        kind: 'full',
        status: 'passed',
        meteringVersion: 1,
        finishedAt: new Date(),
        validUntil: until,
        result: JSON.parse(JSON.stringify(offer.scope ?? scopeOf())) as object,
      },
    });
  });
  return id;
}

function versionOf(offerId: string, providerWallet: string, inputPricePerMtok = 100_000n, expiresAt: Date) {
  return {
    offerId,
    version: 1,
    providerWallet,
    endpoint: 'http://127.0.0.1:9/v1',
    upstreamModel: 'tiny',
    inputPricePerMtok,
    outputPricePerMtok: 400_000n,
    concurrency: 8,
    contextLimit: 8_192,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
    expiresAt,
    nonce: 1n,
    digest: `0x${'0'.repeat(64)}`,
    signature: '0x00',
  };
}

function walletOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex').padStart(40, '0').slice(-40)}`;
}
