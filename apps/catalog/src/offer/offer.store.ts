import { Inject, Injectable } from '@nestjs/common';
import type { SubmitOfferRequest, WithdrawOfferRequest } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { offerIdOf } from '@svc/supply-messages';
import { AuditStore } from '../audit/audit.store';
import { abandonOpenRuns } from '../certification-queue/certification-queue';
import { lockCatalogue } from '../database/locks';
import { DATABASE } from '../database/tokens';
import { fromRow } from '../definitions/definition-rows';
import { lockProvider } from '../provider/provider.store';
import type { OfferContext } from './check-offer';
import { SupplyQuota } from './supply-quota';
import { requireWithdrawable } from './withdrawal';
import { writeVersion } from './write-version';

const TRANSACTION = { timeout: 8_000, maxWait: 5_000 };

/** The tables of offers and their versions. */
@Injectable()
export class OfferStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly quota: SupplyQuota,
    private readonly audit: AuditStore,
  ) {}

  /** What is stored of all that an offer refers to. */
  context(request: SubmitOfferRequest): Promise<OfferContext> {
    return readContext(this.prisma, request);
  }

  /**
   * Stores a version of an offer, made when there is none, and the bundle and profile it defines; with it goes the nonce.
   * @param check told what is stored while nobody else can change it; what it throws leaves everything as it was
   * @returns the offer's id
   * @throws SvcError invalid_request (409, 429) when the provider, its model or the market has too much
   */
  async submit(
    request: SubmitOfferRequest,
    digest: string,
    check: (context: OfferContext) => void,
  ): Promise<string> {
    const offerId = offerIdOf(request.provider, request.bundle, request.profile);
    await this.prisma.$transaction(async (tx) => {
      await lockCatalogue(tx, 'shared');
      await lockProvider(tx, request.provider);
      const context = await readContext(tx, request);
      check(context);
      await this.quota.requireRoom(tx, { ...request, offerId });
      const records = await writeDefinitions(tx, request, context);
      const { needsRun, summary } = await writeVersion(tx, { ...request, offerId, digest });
      await this.quota.requireLeisure(tx, request.provider);
      if (needsRun) await this.quota.requireTurn(tx);
      await tx.provider.update({ where: { wallet: request.provider }, data: { nonce: request.nonce } });
      const record = { actor: request.provider, subject: offerId, action: 'offer.submit' };
      await this.audit.write(tx, ...records, { ...record, reason: summary });
    }, TRANSACTION);
    return offerId;
  }

  /** @throws SvcError invalid_request (404 `provider`, `offerId`; 403 `provider`; 409 `nonce`, `offerId`) */
  async withdraw({ provider, nonce, offerId }: WithdrawOfferRequest): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      const acting = await lockProvider(tx, provider);
      const [offer] = await tx.$queryRaw<{ provider: string; withdrawnAt: Date | null }[]>`
        SELECT provider_wallet AS provider, withdrawn_at AS "withdrawnAt" FROM catalog.offers
        WHERE id = ${offerId} FOR UPDATE`;
      requireWithdrawable({ provider, nonce, offerId }, acting, offer);
      await tx.offer.update({ where: { id: offerId }, data: { withdrawnAt: new Date() } });
      await abandonOpenRuns(tx, { offerId });
      await tx.provider.update({ where: { wallet: provider }, data: { nonce } });
      await this.audit.write(tx, { actor: provider, action: 'offer.withdraw', subject: offerId });
    }, TRANSACTION);
  }
}

async function readContext(
  tx: Prisma.TransactionClient,
  { provider: wallet, model: modelId, bundle: bundleId, profile: profileId }: SubmitOfferRequest,
): Promise<OfferContext> {
  const provider = await tx.provider.findUnique({ where: { wallet } });
  const row = await tx.catalogModel.findUnique({ where: { id: modelId } });
  const model = row && fromRow.models(row);
  const bundle = await tx.bundle.findUnique({ where: { id: bundleId } });
  const profile = await tx.profile.findUnique({ where: { id: profileId } });
  return {
    provider: provider ?? undefined,
    model: model ? { ...model, workload: model.capabilities.workload } : undefined,
    bundle: bundle ? { ...bundle, model: bundle.modelId } : undefined,
    profile: profile ?? undefined,
  };
}

/** Bundles and profiles of the request that nobody has defined; two providers may do so at once. */
async function writeDefinitions(
  tx: Prisma.TransactionClient,
  request: SubmitOfferRequest,
  context: OfferContext,
) {
  const { provider: actor, bundleDefinition: bundle, profileDefinition: profile } = request;
  const records = [];
  if (bundle && !context.bundle) {
    const { model: modelId, ...build } = bundle;
    await tx.bundle.createMany({ data: [{ ...build, modelId }], skipDuplicates: true });
    records.push({ actor, action: 'bundle.define', subject: bundle.id });
  }
  if (profile && !context.profile) {
    await tx.profile.createMany({ data: [profile], skipDuplicates: true });
    records.push({ actor, action: 'profile.define', subject: profile.id });
  }
  return records;
}
