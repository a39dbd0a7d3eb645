import { Controller, Get, Param, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { catalogContracts } from '@svc/contracts';
import { isNotFound } from '@svc/errors';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { readOfferId } from '../../fields/catalog-id';
import { readFields } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { ServiceClient } from '../../messaging/service-client';
import { providerCard } from '../../supply/providers/provider-card';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { buildsCard, signedTermsCard } from './own-offers-cards';
import { BuildsQuery, BuildsReply, OwnProviderReply, SignedTermsReply } from './own-offers.dto';

const readQuery = compileValidator(BuildsQuery);

/** What a provider needs to sign an offer, or another version of one; what it signs goes to `POST /v1/offers`. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api')
export class OwnOffersController {
  constructor(private readonly catalog: ServiceClient) {}

  @Get('provider')
  @ApiOperation({
    summary: 'Shows the wallet as a provider',
    operationId: 'showOwnProvider',
    description: 'As `GET /v1/providers/{wallet}`; null while the wallet is not registered.',
  })
  @ApiOkResponse({ type: OwnProviderReply })
  async provider(
    @PortalSession() { wallet: provider }: Session,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<OwnProviderReply> {
    try {
      const status = await this.catalog.call(catalogContracts.showProvider, { provider }, requestId);
      return { provider: providerCard(status) };
    } catch (error) {
      if (isNotFound(error)) return { provider: null };
      throw error;
    }
  }

  @Get('offers/:id/terms')
  @ApiOperation({
    summary: 'Shows what the wallet signed last of an offer of its own',
    operationId: 'showOwnOfferTerms',
    description: 'With the endpoint, which nobody else is told, and without its credential.',
  })
  @ApiParam({ name: 'id', type: String, example: 'ofr_0123456789abcdef0123456789abcdef' })
  @ApiOkResponse({ type: SignedTermsReply })
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description: '`invalid_request`: no offer of this wallet',
  })
  async terms(
    @Param('id') id: string,
    @PortalSession() { wallet: provider }: Session,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<SignedTermsReply> {
    const names = { offerId: 'id' };
    const asked = { provider, offerId: readOfferId(id) };
    return signedTermsCard(await this.catalog.call(catalogContracts.showOfferTerms, asked, requestId, names));
  }

  @Get('builds')
  @ApiOperation({
    summary: 'Lists bundles of a model and profiles that are defined already',
    operationId: 'listBuilds',
    description: 'The newest of each, at most 100.',
  })
  @ApiQuery({ type: BuildsQuery })
  @ApiOkResponse({ type: BuildsReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
  async builds(@Req() request: FastifyRequest): Promise<BuildsReply> {
    const { model } = readFields(request.query, readQuery);
    return buildsCard(await this.catalog.call(catalogContracts.listBuilds, { model }, request.id));
  }
}
