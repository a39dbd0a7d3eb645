import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RefusedReads } from '../../fields/refusals';
import { entityTagOf } from '../../http/entity-tag';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { readFields } from '../../http/read-body';
import { sendRepresentation } from '../../http/representation';
import { safeJson } from '../../http/safe-json';
import { MarketOffersQuery, MarketOffersReply, MarketReply } from './market.dto';
import { MarketService } from './market.service';

const readQuery = compileValidator(MarketOffersQuery);
/** As long as the gateway itself keeps it. */
const CACHE_CONTROL = 'public, max-age=3';

/** What is on sale now; no session needed. */
@ApiTags('Portal')
@ApiHeader({ name: 'If-None-Match', required: false, description: 'An ETag; 304 when nothing changed.' })
@ApiResponse({ status: 304, description: 'What `If-None-Match` names is current.' })
@UseGuards(AddressThrottlerGuard)
@Controller('portal/api/market')
export class MarketController {
  constructor(private readonly market: MarketService) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the models with how their markets stand',
    operationId: 'showMarket',
    description:
      'As `GET /v1/models`, with the number of live offers and their health; some seconds old at most.',
  })
  @ApiOkResponse({ type: MarketReply })
  @RefusedReads()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(request, reply, await this.market.list(request.id));
  }

  @Get('offers')
  @ApiOperation({ summary: 'Lists the live offers of a model', operationId: 'listMarketOffers' })
  @ApiQuery({ type: MarketOffersQuery })
  @ApiOkResponse({ type: MarketOffersReply })
  @ApiResponse({ status: 400, type: ErrorResponse, description: '`invalid_request`' })
  @ApiResponse({ status: 404, type: ErrorResponse, description: '`model_not_found`' })
  @RefusedReads()
  async offers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(request, reply, await this.market.offers(readFields(request.query, readQuery), request.id));
  }
}

function send(request: FastifyRequest, reply: FastifyReply, answer: object): void {
  // Providers' names are strangers' words.
  const body = Buffer.from(safeJson(answer));
  sendRepresentation(request, reply, { body, etag: entityTagOf(body), cacheControl: CACHE_CONTROL });
}
