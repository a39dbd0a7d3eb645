import { Controller, Get, Param, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { EXAMPLE_WALLET, readAddress } from '../../fields/address';
import { RefusedReads } from '../../fields/refusals';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { EarningsQuery, EarningsReply } from './earnings.dto';
import { EarningsService } from './earnings.service';

@ApiTags('Supply')
@ApiSecurity('wallet')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('v1/providers/:wallet/earnings')
export class EarningsController {
  constructor(private readonly earnings: EarningsService) {}

  @Get()
  @ApiOperation({
    summary: 'Shows what a provider earned',
    operationId: 'listEarnings',
    description:
      'For the provider alone. When something is payable, `claim` holds what the settlement contract’s `claim` takes.',
  })
  @ApiParam({ name: 'wallet', type: String, example: EXAMPLE_WALLET })
  @ApiQuery({ type: EarningsQuery })
  @ApiOkResponse({ type: EarningsReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
  @ApiResponse({
    status: 401,
    type: ErrorResponse,
    description: '`invalid_api_key`: no access of this provider, or one that is over',
  })
  @RefusedReads()
  list(@Param('wallet') wallet: string, @Req() request: FastifyRequest): Promise<EarningsReply> {
    const { authorization } = request.headers;
    return this.earnings.listWithAccess(readAddress(wallet), authorization, request.query, request.id);
  }
}
