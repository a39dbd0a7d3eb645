import { Injectable } from '@nestjs/common';
import { billingContracts, catalogContracts } from '@svc/contracts';
import type { ClaimView } from '@svc/contracts';
import { isNotFound } from '@svc/errors';
import { compileValidator } from '@svc/validation';
import { readFields } from '../../http/read-body';
import { ServiceClient } from '../../messaging/service-client';
import { claimCard, earningsCard } from './earnings-card';
import { EarningsQuery } from './earnings.dto';
import type { EarningsReply, PayoutClaim } from './earnings.dto';
import { readAccess } from './provider-access';

const readQuery = compileValidator(EarningsQuery);

/** What a provider earned, for nobody's eyes but its own. */
@Injectable()
export class EarningsService {
  constructor(private readonly services: ServiceClient) {}

  /**
   * As `list`, for whoever brings a provider's access.
   * @throws SvcError invalid_api_key unless the provider asks; invalid_request
   */
  async listWithAccess(
    provider: string,
    authorization: string | undefined,
    query: unknown,
    requestId: string,
  ): Promise<EarningsReply> {
    const access = readAccess(authorization, provider);
    await this.services.call(catalogContracts.identifyProvider, access, requestId);
    return this.list(provider, query, requestId);
  }

  /**
   * For who is known to be the provider.
   * @param provider in lower case
   * @param query as it came
   * @throws SvcError invalid_request
   */
  async list(provider: string, query: unknown, requestId: string): Promise<EarningsReply> {
    const { limit, by = 'day', ...selection } = readFields(query, readQuery);
    const list = await this.services.call(
      billingContracts.listEarnings,
      { provider, by, ...selection, ...(limit !== undefined && { limit: Number(limit) }) },
      requestId,
    );
    const claim = list.account.payable === '0' ? null : await this.claim(provider, requestId);
    return earningsCard(provider, list, claim);
  }

  private async claim(provider: string, requestId: string): Promise<PayoutClaim | null> {
    const claim = await this.findClaim(provider, requestId);
    if (!claim) return null;
    const { domain } = await this.services.call(catalogContracts.showSupplyTerms, {}, requestId);
    return claimCard(claim, domain);
  }

  private async findClaim(provider: string, requestId: string): Promise<ClaimView | undefined> {
    try {
      return await this.services.call(billingContracts.showClaim, { provider }, requestId);
    } catch (error) {
      // Nothing of it is published yet.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
