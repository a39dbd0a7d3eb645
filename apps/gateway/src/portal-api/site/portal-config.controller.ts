import { Controller, Get, Inject, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../gateway.config';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PortalOrigins } from '../sessions/portal-origins';
import { portalConfigCard } from './portal-config-card';
import { PortalConfigReply } from './portal-config.dto';

/** Tells the page where it is. */
@ApiTags('Portal')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/config')
export class PortalConfigController {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly origins: PortalOrigins,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Tells what the page has to know before anybody is signed in',
    operationId: 'showPortalConfig',
  })
  @ApiOkResponse({ type: PortalConfigReply })
  @ApiResponse({
    status: 403,
    type: ErrorResponse,
    description: '`invalid_request`, `param` is `origin`: the gateway knows of no page',
  })
  @ApiResponse({
    status: 429,
    type: ErrorResponse,
    description: '`invalid_request`: too many requests from this address',
  })
  show(@Req() { host }: FastifyRequest): PortalConfigReply {
    return portalConfigCard(this.config, `${this.origins.nearest(host)}/v1`);
  }
}
