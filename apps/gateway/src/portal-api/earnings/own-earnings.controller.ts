import { Controller, Get, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { EarningsQuery, EarningsReply } from '../../supply/earnings/earnings.dto';
import { EarningsService } from '../../supply/earnings/earnings.service';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { PortalSessionGuard } from '../sessions/portal-session.guard';

/** Being signed in as the wallet is what `Authorization: Wallet` proves elsewhere. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/earnings')
export class OwnEarningsController {
  constructor(private readonly earnings: EarningsService) {}

  @Get()
  @ApiOperation({
    summary: 'Shows what the wallet earned as a provider',
    operationId: 'listOwnEarnings',
    description: 'As `GET /v1/providers/{wallet}/earnings`, for the wallet that is signed in.',
  })
  @ApiQuery({ type: EarningsQuery })
  @ApiOkResponse({ type: EarningsReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
  list(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<EarningsReply> {
    return this.earnings.list(wallet, request.query, request.id);
  }
}
