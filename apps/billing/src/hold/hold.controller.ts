import { Controller } from '@nestjs/common';
import { RenewHoldsRequest, SettleHoldRequest, billingContracts } from '@svc/contracts';
import type { RenewedHolds, SettledHold } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import type { RpcContext } from '@svc/messaging';
import { RenewalService } from './renewal.service';
import { ResolutionService } from './resolution.service';

@Controller()
export class HoldController {
  constructor(
    private readonly holds: ResolutionService,
    private readonly renewal: RenewalService,
  ) {}

  @HandleRpc(billingContracts.settleHold)
  settle(request: SettleHoldRequest, context: RpcContext): Promise<SettledHold> {
    return this.holds.settle(request, 'call', context.deadlineMs);
  }

  @HandleRpc(billingContracts.renewHolds)
  renew(request: RenewHoldsRequest, context: RpcContext): Promise<RenewedHolds> {
    return this.renewal.renew(request.holds, context.deadlineMs);
  }
}
