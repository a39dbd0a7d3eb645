import { Controller, Get, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { billingContracts } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { readBody } from '../../http/read-body';
import { ServiceClient } from '../../messaging/service-client';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { Act, readJudgement } from './judgement.dto';
import { OperatorsOnly } from './operators-only';
import { settlementCard } from './settlement-card';
import { SettlementStandingReply } from './settlement-standing.dto';

@OperatorsOnly()
@Controller('portal/api/operators/settlement')
export class SettlementController {
  constructor(private readonly billing: ServiceClient) {}

  @Get()
  @ApiOperation({
    summary: 'Shows how settlement stands, and what reconciliation found',
    operationId: 'showOperatorSettlement',
  })
  @ApiOkResponse({ type: SettlementStandingReply })
  async show(@Req() { id }: FastifyRequest): Promise<SettlementStandingReply> {
    return settlementCard(await this.billing.call(billingContracts.showSettlement, {}, id));
  }

  @Post('pause')
  @Act('Pauses settlement', 'pauseSettlement', 'Nothing more is signed or sent until it is resumed.')
  async pause(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<void> {
    const act = { ...readBody(request, readJudgement), actor: wallet };
    await this.billing.call(billingContracts.pauseSettlement, act, request.id);
  }

  @Post('resume')
  @Act(
    'Lets settlement go on',
    'resumeSettlement',
    'Ends every pause, also one that reconciliation made; what still differs pauses it again.',
  )
  async resume(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<void> {
    const act = { ...readBody(request, readJudgement), actor: wallet };
    await this.billing.call(billingContracts.resumeSettlement, act, request.id);
  }
}
