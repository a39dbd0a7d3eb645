import { Controller } from '@nestjs/common';
import { ShowReceiptRequest, billingContracts } from '@svc/contracts';
import type { ReceiptDocument } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { ReceiptService } from './receipt.service';

@Controller()
export class ReceiptController {
  constructor(private readonly receipts: ReceiptService) {}

  @HandleRpc(billingContracts.showReceipt)
  show(request: ShowReceiptRequest): Promise<ReceiptDocument> {
    return this.receipts.show(request);
  }
}
