import { Controller, Get, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { sessionReply } from './session-card';
import { VisitorReply } from './session.dto';
import { SessionsService } from './sessions.service';

/**
 * For a page that opens and does not know yet whether anybody is signed in: that nobody is, is an answer and no refusal, which browsers
 * would write to their console as an error. Tells what `GET session` tells, to the same cookie alone.
 */
@ApiTags('Portal')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/visitor')
export class VisitorController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @ApiOperation({ summary: 'Shows who asks, signed in or not', operationId: 'showVisitor' })
  @ApiOkResponse({ type: VisitorReply })
  @ApiResponse({
    status: 429,
    type: ErrorResponse,
    description: '`invalid_request`: too many requests from this address',
  })
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  async show(@Req() { headers }: FastifyRequest): Promise<VisitorReply> {
    const session = await this.sessions.find(headers.cookie);
    return { session: session ? sessionReply(session, this.sessions.csrfToken(session.sessionId)) : null };
  }
}
