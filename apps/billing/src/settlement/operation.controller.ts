import { Controller } from '@nestjs/common';
import {
  ListBatchesRequest,
  PauseSettlementRequest,
  ResumeSettlementRequest,
  ShowBatchRequest,
  ShowSettlementRequest,
  billingContracts,
} from '@svc/contracts';
import type { BatchPage, BatchView, SettlementView } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { OperationService } from './operation.service';

@Controller()
export class OperationController {
  constructor(private readonly operation: OperationService) {}

  @HandleRpc(billingContracts.listBatches)
  list({ limit, before }: ListBatchesRequest): Promise<BatchPage> {
    return this.operation.list(limit, before);
  }

  @HandleRpc(billingContracts.showBatch)
  batch({ batchId }: ShowBatchRequest): Promise<BatchView> {
    return this.operation.batch(batchId);
  }

  @HandleRpc(billingContracts.showSettlement)
  show(_: ShowSettlementRequest): Promise<SettlementView> {
    return this.operation.show();
  }

  @HandleRpc(billingContracts.pauseSettlement)
  pause({ reason, actor }: PauseSettlementRequest): Promise<SettlementView> {
    return this.operation.pause(reason, actor);
  }

  @HandleRpc(billingContracts.resumeSettlement)
  resume({ reason, actor }: ResumeSettlementRequest): Promise<SettlementView> {
    return this.operation.resume(reason, actor);
  }
}
