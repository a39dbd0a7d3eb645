import { Controller, Get, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { catalogContracts } from '@svc/contracts';
import type { JudgeOfferRequest, JudgeProviderRequest, ProviderSummary, RpcContract } from '@svc/contracts';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { EXAMPLE_WALLET, readAddress } from '../../fields/address';
import { readOfferId } from '../../fields/catalog-id';
import { readBody, readFields } from '../../http/read-body';
import { ServiceClient } from '../../messaging/service-client';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { Act, readJudgement } from './judgement.dto';
import { OperatorsOnly } from './operators-only';
import { ProviderPageReply, ProvidersQuery } from './supply.dto';
import type { ProviderSummaryReply } from './supply.dto';

const readQuery = compileValidator(ProvidersQuery);
const Wallet = () => ApiParam({ name: 'wallet', type: String, example: EXAMPLE_WALLET });
const Offer = () => ApiParam({ name: 'id', type: String, example: 'ofr_0123456789abcdef0123456789abcdef' });

type Done = Record<string, never>;

/** Providers and offers as operators see and judge them; how a provider's offers stand, `GET /v1/providers/{wallet}` tells everybody. */
@OperatorsOnly()
@Controller('portal/api/operators')
export class OperatorSupplyController {
  constructor(private readonly catalog: ServiceClient) {}

  @Get('providers')
  @ApiOperation({ summary: 'Lists providers', operationId: 'listProviders' })
  @ApiQuery({ type: ProvidersQuery })
  @ApiOkResponse({ type: ProviderPageReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`; `param` is the field' })
  async list(@Req() request: FastifyRequest): Promise<ProviderPageReply> {
    const { search, only, cursor, limit } = readFields(request.query, readQuery);
    const asked = {
      ...(search !== undefined && { search }),
      ...(only !== undefined && { suspended: true }),
      ...(cursor !== undefined && { after: cursor.toLowerCase() }),
      ...(limit !== undefined && { limit: Number(limit) }),
    };
    const { providers, next } = await this.catalog.call(catalogContracts.listProviders, asked, request.id);
    return { providers: providers.map(summaryCard), next };
  }

  @Post('providers/:wallet/suspend')
  @Wallet()
  @Act('Suspends a provider', 'suspendProvider', 'All its offers leave the market at once.')
  suspendProvider(
    @Param('wallet') wallet: string,
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.judgeProvider(catalogContracts.suspendProvider, wallet, session, request);
  }

  @Post('providers/:wallet/reinstate')
  @Wallet()
  @Act('Lets a provider back', 'reinstateProvider')
  reinstateProvider(
    @Param('wallet') wallet: string,
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.judgeProvider(catalogContracts.reinstateProvider, wallet, session, request);
  }

  @Post('offers/:id/suspend')
  @Offer()
  @Act('Suspends an offer', 'suspendOffer')
  suspendOffer(
    @Param('id') id: string,
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.judgeOffer(catalogContracts.suspendOffer, id, session, request);
  }

  @Post('offers/:id/reinstate')
  @Offer()
  @Act('Lets an offer back', 'reinstateOffer')
  reinstateOffer(
    @Param('id') id: string,
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.judgeOffer(catalogContracts.reinstateOffer, id, session, request);
  }

  @Post('offers/:id/certify')
  @Offer()
  @Act('Has an offer certified anew', 'certifyOffer', 'What is certified serves on meanwhile.')
  certifyOffer(
    @Param('id') id: string,
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.judgeOffer(catalogContracts.certifyOffer, id, session, request);
  }

  private async judgeProvider(
    contract: RpcContract<JudgeProviderRequest, Done>,
    wallet: string,
    { wallet: actor }: Session,
    request: FastifyRequest,
  ): Promise<void> {
    const act = { provider: readAddress(wallet), actor, ...readBody(request, readJudgement) };
    await this.catalog.call(contract, act, request.id, { provider: 'wallet' });
  }

  private async judgeOffer(
    contract: RpcContract<JudgeOfferRequest, Done>,
    id: string,
    { wallet: actor }: Session,
    request: FastifyRequest,
  ): Promise<void> {
    const act = { offerId: readOfferId(id), actor, ...readBody(request, readJudgement) };
    await this.catalog.call(contract, act, request.id, { offerId: 'id' });
  }
}

function summaryCard({ suspension, ...provider }: ProviderSummary): ProviderSummaryReply {
  return {
    provider: provider.provider,
    name: provider.name,
    contact: provider.contact,
    registered_at: provider.registeredAt,
    suspension: suspension && { at: suspension.at, reason: suspension.reason },
    offers: provider.offers,
  };
}
