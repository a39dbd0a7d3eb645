import { Controller, Get, HttpCode, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { catalogContracts } from '@svc/contracts';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { EXAMPLE_WALLET, readAddress } from '../../fields/address';
import { RefusedReads } from '../../fields/refusals';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { readBody } from '../../http/read-body';
import { RefusedToSuspended, RefusedWrites } from '../refusals';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { ServiceClient } from '../../messaging/service-client';
import { signedPart } from '../supply-fields';
import { providerCard } from './provider-card';
import { ProviderStatusReply } from './provider-status.dto';
import { ProviderRegistration } from './registration.dto';

const readRegistration = compileValidator(ProviderRegistration);

/** Who sells. */
@ApiTags('Supply')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('v1/providers')
export class ProvidersController {
  constructor(private readonly catalog: ServiceClient) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Joins as a provider, or changes its name',
    operationId: 'registerProvider',
    description: 'Nobody has to be asked: whoever has a wallet may sell.',
  })
  @ApiBody({ type: ProviderRegistration })
  @ApiOkResponse({ type: ProviderStatusReply })
  @RefusedToSuspended()
  @RefusedWrites()
  async register(@Req() request: FastifyRequest): Promise<ProviderStatusReply> {
    const body = readBody(request, readRegistration);
    const registration = { ...signedPart(body), name: body.name, contact: body.contact };
    return providerCard(await this.catalog.call(catalogContracts.registerProvider, registration, request.id));
  }

  @Get(':wallet')
  @ApiOperation({
    summary: 'Shows a provider and its offers',
    operationId: 'showProvider',
    description:
      'Public: the state of each offer with the reason, how far certification is, how it has been doing.',
  })
  @ApiParam({ name: 'wallet', type: String, example: EXAMPLE_WALLET })
  @ApiOkResponse({ type: ProviderStatusReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`: no wallet' })
  @ApiResponse({ status: 404, type: ErrorResponse, description: '`invalid_request`: no such provider' })
  @RefusedReads()
  async show(@Param('wallet') wallet: string, @Req() request: FastifyRequest): Promise<ProviderStatusReply> {
    const provider = readAddress(wallet);
    const names = { provider: 'wallet' };
    return providerCard(
      await this.catalog.call(catalogContracts.showProvider, { provider }, request.id, names),
    );
  }
}
