import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { billingContracts, catalogContracts } from '@svc/contracts';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { ADDRESS } from '../../fields/address';
import { readFields } from '../../http/read-body';
import { ServiceClient } from '../../messaging/service-client';
import { AuditPageReply, AuditQuery } from './audit.dto';
import { OperatorsOnly } from './operators-only';

const readQuery = compileValidator(AuditQuery);
const USUAL_PAGE = '50';
const TRAILS = { catalogue: catalogContracts.listAudit, billing: billingContracts.listBillingAudit };

@OperatorsOnly()
@Controller('portal/api/operators/audit')
export class OperatorAuditController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @ApiOperation({ summary: 'Lists who did what to whom, and why', operationId: 'listAudit' })
  @ApiQuery({ type: AuditQuery })
  @ApiOkResponse({ type: AuditPageReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`; `param` is the field' })
  async list(@Req() request: FastifyRequest): Promise<AuditPageReply> {
    const { of, subject, cursor, limit = USUAL_PAGE } = readFields(request.query, readQuery);
    const asked = {
      // Addresses are kept in lower case.
      ...(subject !== undefined && { subject: ADDRESS.test(subject) ? subject.toLowerCase() : subject }),
      ...(cursor !== undefined && { before: Number(cursor) }),
      limit: Number(limit),
    };
    const { entries, next } = await this.services.call(TRAILS[of], asked, request.id);
    return {
      entries: entries.map(({ id, at, actor, action, subject: of, reason }) => ({
        id,
        at,
        actor,
        action,
        subject: of,
        reason,
      })),
      next: next === null ? null : String(next),
    };
  }
}
