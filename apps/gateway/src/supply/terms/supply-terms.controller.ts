import { Controller, Get, Inject, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { catalogContracts } from '@svc/contracts';
import type { SupplyTerms } from '@svc/contracts';
import { ACCESS_SECONDS, SUPPLY_TYPES } from '@svc/supply-messages';
import type { FastifyRequest } from 'fastify';
import { RefusedReads } from '../../fields/refusals';
import { GatewayConfig } from '../../gateway.config';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { MAX_CREDENTIAL_LENGTH } from '../offers/offer-submission.dto';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { ServiceClient } from '../../messaging/service-client';
import { SupplyTermsReply } from './supply-terms.dto';

/** Wallets that take whole requests (`eth_signTypedData_v4`) want the domain's type as well. */
const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];
const TYPES = { EIP712Domain: DOMAIN_TYPE, ...Object.assign({}, ...Object.values(SUPPLY_TYPES)) } as Record<
  string,
  { name: string; type: string }[]
>;

/** What a provider must know to sign. */
@ApiTags('Supply')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('v1/supply/terms')
export class SupplyTermsController {
  constructor(
    private readonly catalog: ServiceClient,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Tells what providers sign',
    operationId: 'showSupplyTerms',
    description: 'The EIP-712 domain and types of this network, and the limits of offers.',
  })
  @ApiOkResponse({ type: SupplyTermsReply })
  @RefusedReads()
  async show(@Req() request: FastifyRequest): Promise<SupplyTermsReply> {
    const terms = await this.catalog.call(catalogContracts.showSupplyTerms, {}, request.id);
    return replyOf(terms, this.config.credentialPublicKey);
  }
}

function replyOf(
  { domain, maxPricePerMtok, maxOffersPerProvider, maxOfferSeconds }: SupplyTerms,
  credentialPublicKey: string,
): SupplyTermsReply {
  const { name, version, chainId, verifyingContract } = domain;
  return {
    domain: { name, version, chainId, verifyingContract },
    types: TYPES,
    limits: {
      max_price_per_mtok: maxPricePerMtok,
      max_offers_per_provider: maxOffersPerProvider,
      max_offer_seconds: maxOfferSeconds,
      max_access_seconds: ACCESS_SECONDS,
      max_credential_length: MAX_CREDENTIAL_LENGTH,
    },
    credential_public_key: credentialPublicKey,
  };
}
