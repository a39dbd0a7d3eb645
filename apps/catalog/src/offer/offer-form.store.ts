import { Inject, Injectable } from '@nestjs/common';
import { MOST_BUILDS } from '@svc/contracts';
import type { DefinedBuilds, SignedOfferTerms } from '@svc/contracts';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { id: 'asc' as const }];

/** What was signed last, and what is defined already. */
@Injectable()
export class OfferFormStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** @returns undefined unless the offer is that provider's */
  async terms(provider: string, offerId: string): Promise<SignedOfferTerms | undefined> {
    const offer = await this.prisma.offer.findFirst({
      where: { id: offerId, providerWallet: provider },
      include: { bundle: true },
    });
    if (!offer) return undefined;
    const { version } = offer;
    const signed = await this.prisma.offerVersion.findUniqueOrThrow({
      where: { offerId_version: { offerId, version } },
    });
    return {
      offerId,
      version,
      provider,
      model: offer.bundle.modelId,
      bundle: offer.bundleId,
      profile: offer.profileId,
      endpoint: signed.endpoint,
      upstreamModel: signed.upstreamModel,
      inputPricePerMtok: String(signed.inputPricePerMtok),
      outputPricePerMtok: String(signed.outputPricePerMtok),
      concurrency: signed.concurrency,
      contextLimit: signed.contextLimit,
      firstTokenTimeoutMs: signed.firstTokenTimeoutMs,
      chunkTimeoutMs: signed.chunkTimeoutMs,
      expiresAt: Math.floor(signed.expiresAt.getTime() / 1_000),
      hasCredential: signed.credential !== null,
    };
  }

  /** The newest of each. Profiles are of no model, so all of them may fit. */
  async builds(model: string): Promise<DefinedBuilds> {
    const newest = { orderBy: NEWEST_FIRST, take: MOST_BUILDS };
    const bundles = await this.prisma.bundle.findMany({ where: { modelId: model }, ...newest });
    const profiles = await this.prisma.profile.findMany(newest);
    return {
      bundles: bundles.map(({ id, modelId, weightsDigest, quantisation, engine }) => ({
        id,
        model: modelId,
        weightsDigest,
        quantisation,
        engine,
      })),
      profiles: profiles.map(({ id, hardwareClass, contextLimit, speedTier }) => ({
        id,
        hardwareClass,
        contextLimit,
        speedTier,
      })),
    };
  }
}
