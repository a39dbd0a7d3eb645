import { Inject, Injectable } from '@nestjs/common';
import type { CertifiedScope, ModelDefinition, RoutingModelDefinition } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { databaseNow } from '../database/database-now';
import { lockPublication } from '../database/locks';
import { DATABASE } from '../database/tokens';
import { fromRow } from '../definitions/definition-rows';
import type { ManagedVendor } from '../definitions/definitions';
import type { OfferFacts } from '../offer-state/offer-state';

/** The longest a publication may keep others waiting. */
const PUBLISH_TIMEOUT_MS = 30_000;
/** Kept for writes that are under way when the time is over: longer than NATS may take to acknowledge one. */
const LAST_WRITES_MS = 10_000;
const LOCK_PATIENCE_MS = 5_000;

/** A model as it is defined. */
export interface DefinedModel extends ModelDefinition {
  createdAt: Date;
}

export interface DefinedRoutingModel extends RoutingModelDefinition {
  createdAt: Date;
}

/** A vendor that is not retired. */
export type DefinedVendor = ManagedVendor & { version: number };

/** What tells an offer's certified terms from any others that it has had, or had before the database went back. */
export interface TermsKey {
  offerId: string;
  certificationId: string;
  certifiedUntil: Date;
  /** Of what was signed. */
  digest: string;
}

/** What an offer was certified for, and its terms then: never changes under its key. */
export interface CertifiedTerms extends TermsKey {
  version: number;
  scope: CertifiedScope;
  model: string;
  provider: string;
  bundleId: string;
  profileId: string;
  endpoint: string;
  upstreamModel: string;
  credential: string | null;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  concurrency: number;
  contextLimit: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
  expiresAt: Date;
}

/** What changes of an offer that is certified and not withdrawn; `liveExpiresAt` stands in its terms. */
export interface CertifiedOfferFacts
  extends
    TermsKey,
    Omit<OfferFacts, keyof TermsKey | 'liveExpiresAt' | 'withdrawnAt' | 'aboveCeiling' | 'refusal'> {
  liveVersion: number;
}

/** What a publication reads, in one transaction. */
export interface PublicationReader {
  /** The database's clock: the same for every replica. */
  now(): Promise<Date>;
  models(): Promise<DefinedModel[]>;
  routingModels(): Promise<DefinedRoutingModel[]>;
  managedVendors(): Promise<DefinedVendor[]>;
  /** Offers that are certified and not withdrawn; whether anything else speaks against them, their facts say. */
  certifiedOffers(): Promise<CertifiedOfferFacts[]>;
  /** The terms of such offers. */
  terms(offerIds: readonly string[]): Promise<CertifiedTerms[]>;
  /** For each of the models, the newest full certification that was passed by an offer which is certified no more. */
  formerScopes(models: readonly string[]): Promise<Map<string, FormerScope>>;
}

export interface FormerScope {
  certificationId: string;
  scope: CertifiedScope;
  /** Of the version that was certified. */
  contextLimit: number;
}

/** What is read of the tables to be published. */
@Injectable()
export class PublicationStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Runs `work` while no other replica publishes.
   * @param work is told to end by the signal before the lock goes: what it writes later could undo what the next replica publishes
   */
  exclusively<T>(work: (reader: PublicationReader, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(
      async (tx) => {
        const signal = AbortSignal.timeout(PUBLISH_TIMEOUT_MS - LAST_WRITES_MS);
        await lockPublication(tx);
        const reader: PublicationReader = {
          now: () => databaseNow(tx),
          models: () => readModels(tx),
          routingModels: () => readRoutingModels(tx),
          managedVendors: () => readVendors(tx),
          certifiedOffers: () => readOffers(tx),
          terms: (offerIds) => readTerms(tx, offerIds),
          formerScopes: (models) => readFormerScopes(tx, models),
        };
        return work(reader, signal);
      },
      { timeout: PUBLISH_TIMEOUT_MS, maxWait: LOCK_PATIENCE_MS },
    );
  }
}

type Milliseconds = number;

/** Much cheaper to read than a date, ten thousand times over. */
function epochMs(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(extract(epoch FROM ${column}) * 1000)::float8`;
}

async function readModels(tx: Prisma.TransactionClient): Promise<DefinedModel[]> {
  const rows = await tx.catalogModel.findMany();
  return rows.map((row) => ({ ...fromRow.models(row), createdAt: row.createdAt }));
}

async function readRoutingModels(tx: Prisma.TransactionClient): Promise<DefinedRoutingModel[]> {
  const rows = await tx.routingModel.findMany();
  return rows.map((row) => ({ ...fromRow.routingModels(row), createdAt: row.createdAt }));
}

async function readVendors(tx: Prisma.TransactionClient): Promise<DefinedVendor[]> {
  const rows = await tx.managedVendor.findMany({ where: { retired: false } });
  return rows.map((row) => ({ ...fromRow.managedVendors(row), version: row.version }));
}

async function readOffers(tx: Prisma.TransactionClient): Promise<CertifiedOfferFacts[]> {
  const rows = await tx.$queryRaw<Undated<CertifiedOfferFacts>[]>`
    SELECT o.id AS "offerId", o.version, o.live_version AS "liveVersion", o.certification_id AS "certificationId",
      CASE WHEN o.live_version = o.version THEN v.digest
        ELSE (SELECT l.digest FROM catalog.offer_versions l WHERE l.offer_id = o.id AND l.version = o.live_version)
      END AS digest,
      ${epochMs(Prisma.sql`o.certified_until`)} AS "certifiedUntil", ${epochMs(Prisma.sql`v.expires_at`)} AS "expiresAt",
      p.suspension_reason AS "providerSuspensionReason", o.suspension_reason AS "suspensionReason",
      o.watch_code AS "watchCode", o.watch_reason AS "watchReason"
    FROM catalog.offers o
    JOIN catalog.providers p ON p.wallet = o.provider_wallet
    JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.version
    WHERE o.withdrawn_at IS NULL AND o.live_version IS NOT NULL`;
  return rows.map(dated);
}

/** As it is read. */
type Undated<T> = Omit<T, keyof Dates> & Record<keyof Dates, Milliseconds>;
type Dates = Pick<CertifiedTerms, 'expiresAt' | 'certifiedUntil'>;

function dated<T extends Record<keyof Dates, Milliseconds>>(row: T): Omit<T, keyof Dates> & Dates {
  const dates: Dates = { expiresAt: new Date(row.expiresAt), certifiedUntil: new Date(row.certifiedUntil) };
  return Object.assign(row, dates);
}

async function readTerms(
  tx: Prisma.TransactionClient,
  offerIds: readonly string[],
): Promise<CertifiedTerms[]> {
  if (offerIds.length === 0) return [];
  const rows = await tx.$queryRaw<Undated<CertifiedTerms>[]>`
    SELECT o.id AS "offerId", v.version, v.digest, o.certification_id AS "certificationId",
      ${epochMs(Prisma.sql`o.certified_until`)} AS "certifiedUntil", c.result AS scope,
      b.model_id AS model, o.provider_wallet AS provider, o.bundle_id AS "bundleId", o.profile_id AS "profileId",
      v.endpoint, v.upstream_model AS "upstreamModel", v.credential,
      v.input_price_per_mtok::text AS "inputPricePerMtok", v.output_price_per_mtok::text AS "outputPricePerMtok",
      v.concurrency, v.context_limit AS "contextLimit", v.first_token_timeout_ms AS "firstTokenTimeoutMs",
      v.chunk_timeout_ms AS "chunkTimeoutMs", ${epochMs(Prisma.sql`v.expires_at`)} AS "expiresAt"
    FROM catalog.offers o
    JOIN catalog.bundles b ON b.id = o.bundle_id
    JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.live_version
    JOIN catalog.certifications c ON c.id = o.certification_id
    WHERE o.id = ANY(${offerIds}::text[]) AND c.result IS NOT NULL`;
  return rows.map(dated);
}

async function readFormerScopes(
  tx: Prisma.TransactionClient,
  models: readonly string[],
): Promise<Map<string, FormerScope>> {
  if (models.length === 0) return new Map();
  const rows = await tx.$queryRaw<(FormerScope & { model: string })[]>`
    SELECT DISTINCT ON (b.model_id) b.model_id AS model, c.id AS "certificationId", c.result AS scope,
      v.context_limit AS "contextLimit"
    FROM catalog.bundles b
    JOIN catalog.offers o ON o.bundle_id = b.id
    CROSS JOIN LATERAL (
      -- Of an offer's full runs, one is open at a time: the last to be ordered was the last to end. None is ever removed.
      SELECT r.* FROM catalog.certifications r
      WHERE r.offer_id = o.id AND r.kind = 'full' AND r.status = 'passed' AND r.result IS NOT NULL
      ORDER BY r.requested_at DESC LIMIT 1
    ) c
    JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = c.version
    WHERE b.model_id = ANY(${models}::text[])
    ORDER BY b.model_id, c.finished_at DESC, c.id`;
  return new Map(rows.map(({ model, ...former }) => [model, former]));
}
