import {
  Controller,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { RefusedBodies } from '../../fields/refusals';
import { readBody } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import { KeyChange, KeyCreation, KeyRotation, KeyValue, WalletKey, WalletKeyList } from './wallet-key.dto';
import { WalletKeysService } from './wallet-keys.service';

const readCreation = compileValidator(KeyCreation);
const readChange = compileValidator(KeyChange);
const readRotation = compileValidator(KeyRotation);

const KEY_ID = { name: 'id', type: String, example: 'key_0Nx3v5FYIqWd4Ea1' } as const;
const BAD_FIELD = {
  status: 400,
  type: ErrorResponse,
  description: '`invalid_request`; `param` is the field, which may be one that is not known',
} as const;
const NO_KEY = {
  status: 404,
  type: ErrorResponse,
  description: '`invalid_request`: the wallet has no such key; another wallet’s is none',
} as const;
const REVOKED = {
  status: 409,
  type: ErrorResponse,
  description: '`invalid_request`: the key is revoked',
} as const;

/** The API keys of whoever is signed in. */
@ApiTags('Portal')
@NeedsSession()
@UseGuards(PortalSessionGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('portal/api/keys')
export class WalletKeysController {
  constructor(private readonly keys: WalletKeysService) {}

  @Get()
  @ApiOperation({ summary: 'Lists the wallet’s API keys', operationId: 'listWalletKeys' })
  @ApiOkResponse({ type: WalletKeyList })
  async list(@PortalSession() session: Session, @Req() request: FastifyRequest): Promise<WalletKeyList> {
    return { keys: await this.keys.list(session, request.id) };
  }

  @Post()
  @ApiOperation({ summary: 'Makes an API key', operationId: 'createWalletKey' })
  @ApiBody({ type: KeyCreation })
  @ApiCreatedResponse({ type: KeyValue })
  @ApiResponse(BAD_FIELD)
  @RefusedBodies()
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description: '`invalid_request`: the wallet has as many keys as it may, or this one was made and revoked',
  })
  create(@PortalSession() session: Session, @Req() request: FastifyRequest): Promise<KeyValue> {
    return this.keys.create(session, readBody(request, readCreation), request.id);
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Changes a key’s name, budget, or whether it works',
    operationId: 'changeWalletKey',
  })
  @ApiParam(KEY_ID)
  @ApiBody({ type: KeyChange })
  @ApiOkResponse({ type: WalletKey })
  @ApiResponse(BAD_FIELD)
  @RefusedBodies()
  @ApiResponse(NO_KEY)
  @ApiResponse(REVOKED)
  change(
    @PortalSession() session: Session,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<WalletKey> {
    return this.keys.change(session, id, readBody(request, readChange), request.id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Gives a key a new value', operationId: 'rotateWalletKey' })
  @ApiParam(KEY_ID)
  @ApiBody({ type: KeyRotation })
  @ApiOkResponse({ type: KeyValue })
  @ApiResponse(BAD_FIELD)
  @RefusedBodies()
  @ApiResponse(NO_KEY)
  @ApiResponse(REVOKED)
  rotate(
    @PortalSession() session: Session,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<KeyValue> {
    return this.keys.rotate(session, id, readBody(request, readRotation), request.id);
  }

  @Post(':id/revoke')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Ends a key for good',
    operationId: 'revokeWalletKey',
    description: 'Requests that are under way with it finish and are charged; no further one begins.',
  })
  @ApiParam(KEY_ID)
  @ApiNoContentResponse()
  @ApiResponse(NO_KEY)
  revoke(
    @PortalSession() session: Session,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    return this.keys.revoke(session, id, request.id);
  }
}
