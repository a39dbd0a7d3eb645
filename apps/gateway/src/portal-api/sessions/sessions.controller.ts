import { Controller, Delete, Get, HttpCode, Param, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyReply } from 'fastify';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PortalSession } from './session';
import { PortalSessionGuard } from './portal-session.guard';
import { sessionCard, sessionReply } from './session-card';
import { SessionCookie } from './session-cookie';
import { NeedsSession } from './session-refusals';
import { SessionList, SessionReply } from './session.dto';
import { SessionsService } from './sessions.service';
import type { OpenSession } from './sessions.service';

/** Who is signed in, where else, and no longer. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Get('session')
  @ApiOperation({ summary: 'Shows the session that asks', operationId: 'showSession' })
  @ApiOkResponse({ type: SessionReply })
  show(@PortalSession() session: OpenSession): SessionReply {
    return sessionReply(session, this.sessions.csrfToken(session.sessionId));
  }

  @Delete('session')
  @HttpCode(204)
  @ApiOperation({ summary: 'Signs out', operationId: 'endSession' })
  @ApiNoContentResponse()
  async end(
    @PortalSession() session: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(session);
    void reply.header('set-cookie', this.cookie.clear());
  }

  @Get('sessions')
  @ApiOperation({ summary: 'Lists where the wallet is signed in', operationId: 'listSessions' })
  @ApiOkResponse({ type: SessionList })
  async list(@PortalSession() { wallet, sessionId }: OpenSession): Promise<SessionList> {
    const sessions = await this.sessions.list(wallet);
    return { data: sessions.map((session) => sessionCard(session, sessionId)) };
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Signs out one of the wallet’s sessions',
    operationId: 'endSessionById',
    description: 'From then on it is good at no gateway. The session that asks can be named as well.',
  })
  @ApiParam({ name: 'id', type: String, description: 'As in `GET /portal/api/sessions`.' })
  @ApiNoContentResponse()
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description: '`invalid_request`: the wallet has no such session; another wallet’s is none',
  })
  async endOne(
    @PortalSession() { wallet, sessionId }: OpenSession,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endOne(wallet, id);
    if (id === sessionId) void reply.header('set-cookie', this.cookie.clear());
  }

  @Delete('sessions')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Signs out everywhere',
    operationId: 'endSessions',
    description: 'From then on no session of the wallet is good, at any gateway.',
  })
  @ApiNoContentResponse()
  async endAll(
    @PortalSession() { wallet }: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endAll(wallet);
    void reply.header('set-cookie', this.cookie.clear());
  }
}
