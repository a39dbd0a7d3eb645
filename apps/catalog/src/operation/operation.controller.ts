import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { AuditPage, JudgeOfferRequest, JudgeProviderRequest, ListAuditRequest } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { OperationService } from './operation.service';

type Done = Record<string, never>;

@Controller()
export class OperationController {
  constructor(private readonly operations: OperationService) {}

  @HandleRpc(catalogContracts.suspendProvider)
  suspendProvider(request: JudgeProviderRequest): Promise<Done> {
    return done(this.operations.suspendProvider(request));
  }

  @HandleRpc(catalogContracts.reinstateProvider)
  reinstateProvider(request: JudgeProviderRequest): Promise<Done> {
    return done(this.operations.reinstateProvider(request));
  }

  @HandleRpc(catalogContracts.suspendOffer)
  suspendOffer(request: JudgeOfferRequest): Promise<Done> {
    return done(this.operations.suspendOffer(request));
  }

  @HandleRpc(catalogContracts.reinstateOffer)
  reinstateOffer(request: JudgeOfferRequest): Promise<Done> {
    return done(this.operations.reinstateOffer(request));
  }

  @HandleRpc(catalogContracts.certifyOffer)
  certifyOffer(request: JudgeOfferRequest): Promise<Done> {
    return done(this.operations.certifyOffer(request));
  }

  @HandleRpc(catalogContracts.listAudit)
  listAudit(request: ListAuditRequest): Promise<AuditPage> {
    return this.operations.listAudit(request);
  }
}

async function done(act: Promise<void>): Promise<Done> {
  await act;
  return {};
}
