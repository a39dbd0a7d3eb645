import { Controller, HttpCode, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { compileValidator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { readOfferId } from '../../fields/catalog-id';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { readBody } from '../../http/read-body';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { RefusedToSuspended, RefusedWrites } from '../refusals';
import { OfferStatusReply } from './offer-status.dto';
import { OfferSubmission, OfferWithdrawal } from './offer-submission.dto';
import { OffersService } from './offers.service';

const readSubmission = compileValidator(OfferSubmission);
const readWithdrawal = compileValidator(OfferWithdrawal);

/** What providers offer. */
@ApiTags('Supply')
@UseGuards(AddressThrottlerGuard)
@UseInterceptors(SafeJsonInterceptor)
@Controller('v1/offers')
export class OffersController {
  constructor(private readonly offers: OffersService) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Makes an offer, or a new version of one',
    operationId: 'submitOffer',
    description:
      'Provider, bundle and profile make the offer; what changes is a new version. Of an offer that is certified, one that differs in ' +
      'prices and end alone, or takes fewer requests at once, is live at once, for requests admitted from then on. Any other is ' +
      'certified first, while the version before goes on serving: ' +
      '`GET /v1/providers/{wallet}` shows how far that is.',
  })
  @ApiBody({ type: OfferSubmission })
  @ApiResponse({ status: 202, type: OfferStatusReply, description: 'The offer stands; see `state`.' })
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description:
      '`invalid_request`; `param` is `provider` where the wallet is not registered, `model` where there is no such model',
  })
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description: '`invalid_request`, `param` is `provider` or `model`: there are as many offers as may be',
  })
  @ApiResponse({
    status: 429,
    type: ErrorResponse,
    description:
      '`invalid_request`, `param` is `provider`: too many versions or certifications within an hour, or too many that wait',
  })
  @RefusedToSuspended()
  @RefusedWrites()
  submit(@Req() request: FastifyRequest): Promise<OfferStatusReply> {
    return this.offers.submit(readBody(request, readSubmission), request.id);
  }

  @Post(':id/withdraw')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Takes an offer off the market',
    operationId: 'withdrawOffer',
    description: 'Requests under way finish. A new version brings it back.',
  })
  @ApiParam({ name: 'id', type: String, example: 'ofr_0123456789abcdef0123456789abcdef' })
  @ApiBody({ type: OfferWithdrawal })
  @ApiResponse({ status: 200, type: OfferStatusReply })
  @ApiResponse({ status: 404, type: ErrorResponse, description: '`invalid_request`: no such offer' })
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description: '`invalid_request`, `param` is `id`: the offer is withdrawn already',
  })
  @RefusedWrites()
  withdraw(@Param('id') id: string, @Req() request: FastifyRequest): Promise<OfferStatusReply> {
    const body = readBody(request, readWithdrawal);
    return this.offers.withdraw(readOfferId(id), body, request.id);
  }
}
