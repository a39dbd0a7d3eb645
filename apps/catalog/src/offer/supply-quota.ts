import { Inject, Injectable } from '@nestjs/common';
import { SvcError, conflict } from '@svc/errors';
import { Prisma } from '@svc/persistence';
import { countOpenRuns } from '../certification-queue/certification-queue';
import { SUPPLY_LIMITS } from './supply-limits';
import type { SupplyLimits } from './supply-limits';

const TOO_MANY = 429;
/** With as many runs as may be, one of them is over by then. */
const TURN_AFTER_SECONDS = 10;

/**
 * Offers that serve, may again within the day, or are being certified to. What nobody signed anew in time, what was refused or could not
 * be certified anew, what an operator suspended and what has been silent for a day fills no place of others'. Those that come back stand
 * again without being asked for room: that there are then a few more than may be is better than places that nobody serves from.
 */
const STANDING = Prisma.sql`
  o.withdrawn_at IS NULL AND v.expires_at > now() AND o.suspended_at IS NULL
  AND o.provider_wallet NOT IN (SELECT p.wallet FROM catalog.providers p WHERE p.suspended_at IS NOT NULL) AND (
    o.live_version IS NOT NULL AND o.certified_until > now()
      AND coalesce(o.last_seen_at, o.created_at) > now() - interval '1 day'
    OR EXISTS (
      SELECT FROM catalog.certifications c
      WHERE c.offer_id = o.id AND c.kind = 'full' AND c.status IN ('queued', 'running')))`;

/**
 * OFFSET 0 keeps each lookup a lookup of one row by its key, as what is asked of `IN` is read once: a planner that was told of few rows
 * reads all bundles for each offer.
 */
const OFFERS_WITH_TERMS = Prisma.sql`
  catalog.offers o CROSS JOIN LATERAL (
    SELECT v.expires_at FROM catalog.offer_versions v WHERE v.offer_id = o.id AND v.version = o.version OFFSET 0
  ) v`;

/** An offer that is about to be made or signed anew. */
interface OfferToBe {
  provider: string;
  model: string;
  offerId: string;
}

/** Whether a provider may have or cause more; asked while it can do nothing else. */
@Injectable()
export class SupplyQuota {
  constructor(@Inject(SUPPLY_LIMITS) readonly limits: SupplyLimits) {}

  /** @throws SvcError invalid_request (409 `provider`, `model`) when the offer would be one too many */
  async requireRoom(tx: Prisma.TransactionClient, { provider, model, offerId }: OfferToBe): Promise<void> {
    const others = await tx.offer.count({
      where: { providerWallet: provider, withdrawnAt: null, id: { not: offerId } },
    });
    if (others >= this.limits.offers) {
      throw conflict(
        `The provider has ${others} offers, as many as it may have; withdraw one first.`,
        'provider',
      );
    }
    await this.requireRoomOfAll(tx, model, offerId);
  }

  /**
   * Asked with the run written that may be one too many.
   * @throws SvcError invalid_request (429 `provider`)
   */
  async requireTurn(tx: Prisma.TransactionClient): Promise<void> {
    const most = this.limits.openCertifications;
    if ((await countOpenRuns(tx, Prisma.sql`c.kind = 'full'`)) <= most) return;
    throw new SvcError({
      code: 'invalid_request',
      status: TOO_MANY,
      message: `As many certifications wait already as may (${most}). Nothing was stored; retry later.`,
      param: 'provider',
      retryAfterSeconds: TURN_AFTER_SECONDS,
    });
  }

  /** One that stands already takes no new place, and need not be counted with all the others. */
  private async requireRoomOfAll(
    tx: Prisma.TransactionClient,
    model: string,
    offerId: string,
  ): Promise<void> {
    const itself = await tx.$queryRaw<unknown[]>`
      SELECT o.id FROM ${OFFERS_WITH_TERMS} WHERE o.id = ${offerId} AND ${STANDING}`;
    if (itself.length > 0) return;
    const [row] = await tx.$queryRaw<{ total: number; ofModel: number }[]>`
      SELECT count(*)::integer AS total, (count(*) FILTER (
          WHERE o.bundle_id IN (SELECT b.id FROM catalog.bundles b WHERE b.model_id = ${model})))::integer AS "ofModel"
      FROM ${OFFERS_WITH_TERMS} WHERE ${STANDING}`;
    const { total = 0, ofModel = 0 } = row ?? {};
    if (ofModel >= this.limits.offersPerModel) refuseRoom(`The model "${model}"`, ofModel);
    if (total >= this.limits.offersTotal) refuseRoom('The marketplace', total);
  }

  /**
   * Asked with the version written that may be one too many.
   * @throws SvcError invalid_request (429 `provider`), with when there is room again
   */
  async requireLeisure(tx: Prisma.TransactionClient, provider: string): Promise<void> {
    const { versionsPerHour, certificationsPerHour } = this.limits;
    // By the index of nonces, however many versions there are.
    const versions = await tx.$queryRaw<{ leavesInSeconds: number; isCertified: boolean }[]>`
      SELECT ceil(extract(epoch FROM v.created_at + interval '1 hour' - now()))::integer AS "leavesInSeconds", EXISTS (
          SELECT FROM catalog.certifications c
          WHERE c.offer_id = v.offer_id AND c.version = v.version AND c.kind = 'full'
            AND c.ordered_by = 'provider') AS "isCertified"
      FROM (
        SELECT offer_id, version, nonce, created_at FROM catalog.offer_versions
        WHERE provider_wallet = ${provider} ORDER BY nonce DESC LIMIT ${versionsPerHour + 1}
      ) v
      WHERE v.created_at > now() - interval '1 hour' ORDER BY v.nonce DESC`;
    // One more than may be: once the oldest of them is an hour old, there is room for the next.
    const version = versions[versionsPerHour];
    if (version) refuseHaste(`signed ${versionsPerHour} versions of offers`, version.leavesInSeconds);
    const certified = versions.filter(({ isCertified }) => isCertified)[certificationsPerHour];
    if (certified) refuseHaste(`caused ${certificationsPerHour} certifications`, certified.leavesInSeconds);
  }
}

function refuseRoom(what: string, count: number): never {
  throw conflict(
    `${what} has ${count} offers, as many as it may have; retry when some were withdrawn or are over.`,
    'model',
  );
}

function refuseHaste(what: string, retryAfterSeconds: number): never {
  throw new SvcError({
    code: 'invalid_request',
    status: TOO_MANY,
    message: `The provider has ${what} within an hour, as many as it may; retry later.`,
    param: 'provider',
    retryAfterSeconds,
  });
}
