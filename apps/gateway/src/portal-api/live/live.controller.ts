import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { LiveStream } from './live-stream';
import { LiveStreams } from './live-streams.service';
import { LatestUsage } from './live.dto';

/** What changes, as it changes. */
@ApiTags('Portal')
@NeedsSession()
@ApiExtraModels(LatestUsage)
@UseGuards(PortalSessionGuard)
@Controller('portal/api/live')
export class LiveController {
  constructor(
    private readonly streams: LiveStreams,
    private readonly throttler: AddressThrottlerGuard,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Streams what changes for the wallet',
    operationId: 'watchWallet',
    description:
      'Server-sent events: `position` with a `WalletPositionReply`, at once and whenever it changes; `usage` with a `LatestUsage`, at ' +
      'once when there was any and whenever requests have ended; `away` when nobody can tell any more, until a `position` comes again. ' +
      'Ends with the session.',
  })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`: too many watch now' })
  async watch(
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const watching = { session, address: await this.throttler.countedAs(request) };
    this.streams.assertRoom(watching);
    reply.hijack();
    if (request.record.closed) return;
    if (request.method === 'HEAD') new LiveStream(reply.raw).end();
    else this.streams.begin(watching, reply.raw);
  }
}
