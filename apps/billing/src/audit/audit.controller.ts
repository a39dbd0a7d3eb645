import { Controller } from '@nestjs/common';
import { ListAuditRequest, billingContracts } from '@svc/contracts';
import type { AuditPage } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { AuditStore } from './audit.store';

@Controller()
export class AuditController {
  constructor(private readonly audit: AuditStore) {}

  @HandleRpc(billingContracts.listBillingAudit)
  list(request: ListAuditRequest): Promise<AuditPage> {
    return this.audit.list(request);
  }
}
