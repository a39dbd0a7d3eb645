import { Controller } from '@nestjs/common';
import { CreditWalletRequest, RefundRequest, billingContracts } from '@svc/contracts';
import type { CreditOutcome } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { CreditService } from './credit.service';

@Controller()
export class CreditController {
  constructor(private readonly credits: CreditService) {}

  @HandleRpc(billingContracts.creditWallet)
  credit(request: CreditWalletRequest): Promise<CreditOutcome> {
    return this.credits.credit(request);
  }

  @HandleRpc(billingContracts.refundRequest)
  refund(request: RefundRequest): Promise<CreditOutcome> {
    return this.credits.refund(request);
  }
}
