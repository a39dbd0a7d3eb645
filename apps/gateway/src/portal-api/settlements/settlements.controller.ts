import { Controller, Get, Param, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { readFields } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PageQuery } from '../page-query.dto';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { SettlementList, SettlementReply } from './settlement.dto';
import { SettlementsService } from './settlements.service';

const readPageQuery = compileValidator(PageQuery);

/** How what the wallet owes is collected on chain. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
@Controller('portal/api/settlements')
export class SettlementsController {
  constructor(private readonly settlements: SettlementsService) {}

  @Get()
  @ApiOperation({ summary: 'Lists the batches that collect from the wallet', operationId: 'listSettlements' })
  @ApiQuery({ type: PageQuery })
  @ApiOkResponse({ type: SettlementList })
  list(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<SettlementList> {
    return this.settlements.list(wallet, readFields(request.query, readPageQuery), request.id);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a batch and the wallet’s receipts in it',
    operationId: 'showSettlement',
    description: '`cursor` and `limit` page through the receipts.',
  })
  @ApiParam({ name: 'id', type: String, description: 'The batch’s id.' })
  @ApiQuery({ type: PageQuery })
  @ApiOkResponse({ type: SettlementReply })
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description: '`invalid_request`: the wallet has no line in such a batch',
  })
  show(
    @PortalSession() { wallet }: Session,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<SettlementReply> {
    return this.settlements.show(wallet, id, readFields(request.query, readPageQuery), request.id);
  }
}
