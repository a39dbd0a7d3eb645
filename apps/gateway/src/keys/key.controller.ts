import { Controller, Get, Header, Req } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { billingContracts } from '@svc/contracts';
import { ErrorResponse, KeyBudget, KeyCard } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { ServiceClient } from '../messaging/service-client';
import { ApiKeysService } from './api-keys.service';
import { keyCard } from './key-card';
import { TooManyUnknownKeys } from './too-many-unknown-keys';

/** Tells a key what it may spend. */
@ApiTags('Keys')
@ApiBearerAuth()
@ApiExtraModels(KeyBudget)
@Controller('v1/key')
export class KeyController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly billing: ServiceClient,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Shows the key that asks', operationId: 'showKey' })
  @ApiOkResponse({ type: KeyCard })
  @ApiResponse({ status: 401, type: ErrorResponse, description: '`invalid_api_key`' })
  @ApiResponse({ status: 403, type: ErrorResponse, description: '`account_suspended`' })
  @TooManyUnknownKeys()
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  async show(@Req() request: FastifyRequest): Promise<KeyCard> {
    const keyHash = this.keys.hashOf(request.headers.authorization);
    const { showKey } = billingContracts;
    const ask = () => this.billing.call(showKey, { keyHash }, request.id);
    return keyCard(await this.keys.asking(keyHash, request, ask));
  }
}
