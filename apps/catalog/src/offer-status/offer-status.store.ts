import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import type { OfferRow } from './offer-status';

/** What one reply may tell of. */
const MOST_OFFERS = 1_000;

/** The rows that an offer's status follows from. */
@Injectable()
export class OfferStatusStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** @returns undefined for an offer that is not there */
  async find(offerId: string): Promise<OfferRow | undefined> {
    return (await this.read(Prisma.sql`o.id = ${offerId}`))[0];
  }

  /** A provider's, the newest first; those that are withdrawn come last, and not all of them when they are many. */
  ofProvider(provider: string): Promise<OfferRow[]> {
    return this.read(Prisma.sql`o.provider_wallet = ${provider}`);
  }

  private read(condition: Prisma.Sql): Promise<OfferRow[]> {
    return this.prisma.$queryRaw<OfferRow[]>`
      SELECT o.id AS "offerId", o.provider_wallet AS provider, b.model_id AS model, o.bundle_id AS bundle,
        o.profile_id AS profile, o.version, o.live_version AS "liveVersion", o.certification_id AS "certificationId",
        o.certified_until AS "certifiedUntil", o.withdrawn_at AS "withdrawnAt", o.suspension_reason AS "suspensionReason",
        o.watch_code AS "watchCode", o.watch_reason AS "watchReason", o.last_seen_at AS "lastSeenAt",
        p.suspension_reason AS "providerSuspensionReason", live.expires_at AS "liveExpiresAt",
        v.expires_at AS "expiresAt", v.input_price_per_mtok::text AS "inputPricePerMtok",
        v.output_price_per_mtok::text AS "outputPricePerMtok",
        CASE WHEN live.version IS NOT NULL THEN jsonb_build_object('inputPricePerMtok', live.input_price_per_mtok::text,
          'outputPricePerMtok', live.output_price_per_mtok::text) END AS "livePrices",
        jsonb_build_object('maxInputPricePerMtok', m.max_input_price_per_mtok::text,
          'maxOutputPricePerMtok', m.max_output_price_per_mtok::text) AS ceilings, v.concurrency, v.context_limit AS "contextLimit",
        newest.progress AS newest
      FROM catalog.offers o
      JOIN catalog.providers p ON p.wallet = o.provider_wallet
      JOIN catalog.bundles b ON b.id = o.bundle_id
      JOIN catalog.models m ON m.id = b.model_id
      JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.version
      LEFT JOIN catalog.offer_versions live ON live.offer_id = o.id AND live.version = o.live_version
      LEFT JOIN LATERAL (
        SELECT jsonb_build_object('certificationId', c.id, 'kind', c.kind, 'status', c.status,
          'refusalProbe', c.refusal_probe, 'refusalMessage', c.refusal_message, 'total', probes.total, 'done', probes.done
        ) AS progress
        FROM catalog.certifications c
        CROSS JOIN LATERAL (
          SELECT count(*)::integer AS total, (count(*) FILTER (WHERE q.status IN ('passed', 'failed', 'skipped')))::integer AS done
          FROM catalog.certification_probes q WHERE q.certification_id = c.id
        ) probes
        WHERE c.offer_id = o.id AND c.kind = 'full' ORDER BY c.requested_at DESC LIMIT 1
      ) newest ON true
      WHERE ${condition}
      ORDER BY o.withdrawn_at IS NOT NULL, o.created_at DESC, o.id
      LIMIT ${MOST_OFFERS}`;
  }
}
