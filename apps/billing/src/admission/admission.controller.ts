import { Controller } from '@nestjs/common';
import { AdmitHoldRequest, billingContracts } from '@svc/contracts';
import type { AdmittedHold } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import type { RpcContext } from '@svc/messaging';
import { AdmissionService } from './admission.service';

@Controller()
export class AdmissionController {
  constructor(private readonly admission: AdmissionService) {}

  @HandleRpc(billingContracts.admitHold)
  admit(request: AdmitHoldRequest, context: RpcContext): Promise<AdmittedHold> {
    return this.admission.admit(request, context.deadlineMs);
  }
}
