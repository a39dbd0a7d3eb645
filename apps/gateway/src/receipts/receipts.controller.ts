import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { ReceiptDocument as Document } from '@svc/contracts';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyRequest } from 'fastify';
import { TooManyUnknownKeys } from '../keys/too-many-unknown-keys';
import { ReceiptDocument } from './receipt.dto';
import { ReceiptsService } from './receipts.service';

@ApiTags('Receipts')
@ApiBearerAuth()
@Controller('v1/receipts')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get(':id')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Shows the receipt of a request',
    operationId: 'showReceipt',
    description:
      'Of any request of the wallet behind the key. Once its batch is on chain it carries the proof of that: save it and ' +
      'run `npm run verify-receipt -- FILE`.',
  })
  @ApiParam({ name: 'id', type: String, description: 'The request id.' })
  @ApiOkResponse({ type: ReceiptDocument })
  @ApiResponse({ status: 401, type: ErrorResponse, description: '`invalid_api_key`' })
  @ApiResponse({ status: 403, type: ErrorResponse, description: '`account_suspended`' })
  @ApiResponse({
    status: 404,
    type: ErrorResponse,
    description: '`invalid_request`: the wallet has no such receipt',
  })
  @TooManyUnknownKeys()
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  show(@Param('id') id: string, @Req() request: FastifyRequest): Promise<Document> {
    return this.receipts.show(id, request);
  }
}
