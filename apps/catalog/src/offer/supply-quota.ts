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
   * Asked with the version written that may be one too many.
   * @throws SvcError invalid_request (429 `provider`)
   */
  async requireLeisure(tx: Prisma.TransactionClient, provider: string): Promise<void> {
    const { versionsPerHour, certificationsPerHour } = this.limits;
    // By the index of nonces, however many versions there are.
    const [row] = await tx.$queryRaw<{ signed: number; certified: number }[]>`
      SELECT count(*)::integer AS signed, (count(*) FILTER (WHERE EXISTS (
          SELECT FROM catalog.certifications c
          WHERE c.offer_id = v.offer_id AND c.version = v.version AND c.kind = 'full')))::integer AS certified
      FROM (
        SELECT offer_id, version, created_at FROM catalog.offer_versions
        WHERE provider_wallet = ${provider} ORDER BY nonce DESC LIMIT ${versionsPerHour + 1}
      ) v
      WHERE v.created_at > now() - interval '1 hour'`;
    if ((row?.signed ?? 0) > versionsPerHour) refuseHaste(`signed ${versionsPerHour} versions of offers`);
    if ((row?.certified ?? 0) > certificationsPerHour) {
      refuseHaste(`caused ${certificationsPerHour} certifications`);
    }
  }
}

function refuseHaste(what: string): never {
  throw invalidRequest(
    `the provider has ${what} within an hour, as many as it may; retry later`,
    'provider',
    TOO_MANY,
  );
}
