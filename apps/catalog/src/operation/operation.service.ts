import { Injectable } from '@nestjs/common';
import type { AuditPage, JudgeOfferRequest, JudgeProviderRequest, ListAuditRequest } from '@svc/contracts';
import { AuditStore } from '../audit/audit.store';
import { requireRegistered } from '../provider/provider-act';
import { ProviderStore } from '../provider/provider.store';
import { PublicationService } from '../publication/publication.service';
import { OperationStore } from './operation.store';

const PAGE_ENTRIES = 100;

/** What operators do to providers and offers. The views are published before they are answered, unless that takes long. */
@Injectable()
export class OperationService {
  constructor(
    private readonly providers: ProviderStore,
    private readonly offers: OperationStore,
    private readonly audit: AuditStore,
    private readonly publication: PublicationService,
  ) {}

  /** Another reason replaces the one before. @throws SvcError invalid_request (404 `provider`) */
  suspendProvider(request: JudgeProviderRequest): Promise<void> {
    return this.judgeProvider(request, 'provider.suspend', request.reason);
  }

  /** @throws SvcError invalid_request (404 `provider`) */
  reinstateProvider(request: JudgeProviderRequest): Promise<void> {
    return this.judgeProvider(request, 'provider.reinstate', null);
  }

  /** @throws SvcError invalid_request (404 `offerId`) */
  async suspendOffer(request: JudgeOfferRequest): Promise<void> {
    await this.offers.suspend(request);
    await this.publication.publishSoon();
  }

  /** @throws SvcError invalid_request (404 `offerId`) */
  async reinstateOffer(request: JudgeOfferRequest): Promise<void> {
    await this.offers.reinstate(request);
    await this.publication.publishSoon();
  }

  /** The version that is certified serves on meanwhile. @throws SvcError invalid_request (404, 409 `offerId`) */
  certifyOffer(request: JudgeOfferRequest): Promise<void> {
    return this.offers.certify(request);
  }

  listAudit({ limit = PAGE_ENTRIES, ...selection }: ListAuditRequest): Promise<AuditPage> {
    return this.audit.list({ ...selection, limit });
  }

  private async judgeProvider(
    { provider, actor, reason }: JudgeProviderRequest,
    action: string,
    suspension: string | null,
  ): Promise<void> {
    const record = { actor, action, subject: provider, reason };
    const isThere = await this.providers.judge(provider, suspension, record);
    requireRegistered(isThere || undefined, provider);
    await this.publication.publishSoon();
  }
}
