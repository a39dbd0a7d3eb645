import { Controller, Get, HttpCode, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { readFields } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { creditsCard, positionCard } from './position-card';
import { CreditListReply, CreditsQuery, WalletPositionReply } from './position.dto';
import { WalletPositionService } from './wallet-position.service';

const readCreditsQuery = compileValidator(CreditsQuery);

/** The money of whoever is signed in. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/wallet')
export class WalletPositionController {
  constructor(private readonly positions: WalletPositionService) {}

  @Get()
  @ApiOperation({
    summary: 'Shows what the wallet has, owes and may spend',
    operationId: 'showWalletPosition',
  })
  @ApiOkResponse({ type: WalletPositionReply })
  async show(
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<WalletPositionReply> {
    return positionCard(await this.positions.show(session.wallet, request.id));
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reads the wallet from the chain at once',
    operationId: 'refreshWalletPosition',
    description: 'After an approval or a transfer; it would be seen within seconds anyway.',
  })
  @ApiOkResponse({ type: WalletPositionReply })
  async refresh(
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
  ): Promise<WalletPositionReply> {
    return positionCard(await this.positions.refresh(session.wallet, request.id));
  }

  @Get('credits')
  @ApiOperation({ summary: 'Lists refunds and credits of the wallet', operationId: 'listWalletCredits' })
  @ApiQuery({ type: CreditsQuery })
  @ApiOkResponse({ type: CreditListReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
  async credits(@PortalSession() session: Session, @Req() request: FastifyRequest): Promise<CreditListReply> {
    const query = readFields(request.query, readCreditsQuery);
    return creditsCard(await this.positions.credits(session.wallet, query, request.id));
  }
}
