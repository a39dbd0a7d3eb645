import { Controller } from '@nestjs/common';
import { ShowTrialBalanceRequest, billingContracts } from '@svc/contracts';
import type { TrialBalance } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { TrialBalanceService } from './trial-balance.service';

@Controller()
export class TrialBalanceController {
  constructor(private readonly trialBalance: TrialBalanceService) {}

  @HandleRpc(billingContracts.showTrialBalance)
  show(_request: ShowTrialBalanceRequest): Promise<TrialBalance> {
    return this.trialBalance.show();
  }
}
