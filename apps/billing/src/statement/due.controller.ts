import { Controller } from '@nestjs/common';
import { ListDuesRequest, ShowDueRequest, billingContracts } from '@svc/contracts';
import type { DueList, DueView } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { DueService } from './due.service';

@Controller()
export class DueController {
  constructor(private readonly dues: DueService) {}

  @HandleRpc(billingContracts.listDues)
  list(request: ListDuesRequest): Promise<DueList> {
    return this.dues.list(request);
  }

  @HandleRpc(billingContracts.showDue)
  show(request: ShowDueRequest): Promise<DueView> {
    return this.dues.show(request);
  }
}
