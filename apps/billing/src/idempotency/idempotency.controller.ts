import { Controller } from '@nestjs/common';
import {
  FindIdempotentRequest,
  ReadResponseRequest,
  StoreResponseRequest,
  billingContracts,
} from '@svc/contracts';
import type { FoundIdempotent, ResponsePart, StoredResponse } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { IdempotencyService } from './idempotency.service';

@Controller()
export class IdempotencyController {
  constructor(private readonly idempotency: IdempotencyService) {}

  @HandleRpc(billingContracts.findIdempotent)
  find(request: FindIdempotentRequest): Promise<FoundIdempotent> {
    return this.idempotency.find(request);
  }

  @HandleRpc(billingContracts.storeResponse)
  store(request: StoreResponseRequest): Promise<StoredResponse> {
    return this.idempotency.storePart(request);
  }

  @HandleRpc(billingContracts.readResponse)
  read(request: ReadResponseRequest): Promise<ResponsePart> {
    return this.idempotency.readPart(request);
  }
}
