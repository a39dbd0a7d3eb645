import { Controller, HttpCode, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefusedBodies } from '../../../fields/refusals';
import { AddressThrottlerGuard } from '../../../http/limits/address-throttler.guard';
import { readBody } from '../../../http/read-body';
import { SafeJsonInterceptor } from '../../../http/safe-json.interceptor';
import { PortalOrigins } from '../portal-origins';
import { sessionReply } from '../session-card';
import { SessionReply } from '../session.dto';
import { SessionsService } from '../sessions.service';
import { Nonces } from './nonces';
import { NonceReply, SignInBody } from './sign-in.dto';
import { SignInService } from './sign-in.service';

const readSignIn = compileValidator(SignInBody);

/** Begins sessions: nobody is signed in yet. */
@ApiTags('Portal')
@ApiResponse({
  status: 403,
  type: ErrorResponse,
  description: '`invalid_request`, `param` is `origin`: not from the portal’s own page',
})
@ApiResponse({
  status: 429,
  type: ErrorResponse,
  description: '`invalid_request`: too many from this address',
})
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/session')
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly nonces: Nonces,
    private readonly origins: PortalOrigins,
  ) {}

  @Post('nonce')
  @HttpCode(200)
  @ApiOperation({ summary: 'Gives a nonce to sign in with', operationId: 'makeNonce' })
  @ApiOkResponse({ type: NonceReply })
  nonce(@Req() { headers }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): NonceReply {
    this.origins.require(headers.origin);
    const { nonce, expiresAtMs, header } = this.nonces.issue(Date.now());
    void reply.header('set-cookie', header);
    return { nonce, expires_at: new Date(expiresAtMs).toISOString() };
  }

  @Post()
  @ApiOperation({
    summary: 'Signs in with a wallet',
    operationId: 'beginSession',
    description:
      'Sign-In with Ethereum. The session’s cookie comes with the reply; one that the browser had before ends. A suspended wallet may ' +
      'sign in too, to see why.',
  })
  @ApiBody({ type: SignInBody })
  @ApiCreatedResponse({ type: SessionReply })
  @ApiResponse({
    status: 400,
    type: ErrorResponse,
    description: '`invalid_request`; `param` is `message` or `signature`',
  })
  @ApiResponse({ status: 409, type: ErrorResponse, description: '`invalid_request`: the nonce was used' })
  @RefusedBodies('16 KiB')
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  async begin(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionReply> {
    this.origins.require(request.headers.origin);
    const wallet = await this.signIns.identify(request, readBody(request, readSignIn));
    const { cookie, 'user-agent': userAgent } = request.headers;
    const former = await this.sessions.find(cookie);
    if (former) await this.sessions.end(former);
    const { session, header } = await this.sessions.begin(wallet, userAgent);
    void reply.header('set-cookie', [header, this.nonces.clear()]);
    return sessionReply(session, this.sessions.csrfToken(session.sessionId));
  }
}
