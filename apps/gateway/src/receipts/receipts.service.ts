import { Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import type { ReceiptDocument } from '@svc/contracts';
import { isNotFound, notFound } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { FastifyRequest } from 'fastify';
import { isRequestId } from '../http/request-ids';
import { ApiKeysService } from '../keys/api-keys.service';
import { ServiceClient } from '../messaging/service-client';

/** Receipts at the edge: a key sees those of its own wallet, and of others not even that they exist. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly billing: ServiceClient,
  ) {}

  /** @throws SvcError invalid_api_key, account_suspended, invalid_request (404, 429) */
  async show(id: string, request: FastifyRequest): Promise<ReceiptDocument> {
    const keyHash = this.keys.hashOf(request.headers.authorization);
    if (!isRequestId(id)) {
      await this.keys.assertUsable(keyHash, request);
      throw noReceipt();
    }
    const asked = { keyHash, requestId: id };
    const ask = () => this.billing.call(billingContracts.showReceipt, asked, request.id);
    try {
      return await this.keys.asking(keyHash, request, ask);
    } catch (error) {
      throw isNotFound(error) ? noReceipt() : error;
    }
  }
}

/** Unknown, somebody else's and no id at all: the same words. */
function noReceipt(): SvcError {
  return notFound('There is no receipt of that request.', 'id');
}
