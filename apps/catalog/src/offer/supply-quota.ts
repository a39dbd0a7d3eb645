import { Inject, Injectable } from '@nestjs/common';
import { invalidRequest } from '@svc/errors';
import type { Prisma } from '@svc/persistence';
import { SUPPLY_LIMITS } from './supply-limits';
import type { SupplyLimits } from './supply-limits';

const CONFLICT = 409;
const TOO_MANY = 429;

/** Whether a provider may have or cause more; asked while it can do nothing else. */
@Injectable()
export class SupplyQuota {
  constructor(@Inject(SUPPLY_LIMITS) readonly limits: SupplyLimits) {}

  /** @throws SvcError invalid_request (409 `provider`) when the offer would be one too many */
  async requireRoom(tx: Prisma.TransactionClient, provider: string, offerId: string): Promise<void> {
    const others = await tx.offer.count({
      where: { providerWallet: provider, withdrawnAt: null, id: { not: offerId } },
    });
    if (others < this.limits.offers) return;
    throw invalidRequest(
      `the provider has ${others} offers, as many as it may have; withdraw one first`,
      'provider',
      CONFLICT,
    );
  }

  /**
   * Asked with the version written that is to be certified.
   * @throws SvcError invalid_request (429 `provider`) when it is one too many within an hour
   */
  async requireCertification(tx: Prisma.TransactionClient, provider: string): Promise<void> {
    const [row] = await tx.$queryRaw<{ caused: number }[]>`
      SELECT count(*)::integer AS caused FROM catalog.offer_versions v
      WHERE v.provider_wallet = ${provider} AND v.created_at > now() - interval '1 hour' AND EXISTS (
        SELECT FROM catalog.certifications c
        WHERE c.offer_id = v.offer_id AND c.version = v.version AND c.kind = 'full')`;
    const { certificationsPerHour } = this.limits;
    if ((row?.caused ?? 0) <= certificationsPerHour) return;
    throw invalidRequest(
      `the provider's acts have caused ${certificationsPerHour} certifications within an hour, as many as they may; retry later`,
      'provider',
      TOO_MANY,
    );
  }
}
