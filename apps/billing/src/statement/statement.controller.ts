import { Controller } from '@nestjs/common';
import {
  ListCreditsRequest,
  ListEarningsRequest,
  ListUsageRequest,
  ShowUsageRequest,
  ShowPositionRequest,
  SummariseUsageRequest,
  billingContracts,
} from '@svc/contracts';
import type {
  CreditList,
  EarningList,
  StatementPosition,
  UsageDetail,
  UsageList,
  UsageSummary,
} from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { EarningsService } from './earnings.service';
import { StatementService } from './statement.service';
import { UsageService } from './usage.service';

@Controller()
export class StatementController {
  constructor(
    private readonly statements: StatementService,
    private readonly usage: UsageService,
    private readonly earnings: EarningsService,
  ) {}

  @HandleRpc(billingContracts.showPosition)
  position(request: ShowPositionRequest): Promise<StatementPosition> {
    return this.statements.position(request);
  }

  @HandleRpc(billingContracts.summariseUsage)
  summarise(request: SummariseUsageRequest): Promise<UsageSummary> {
    return this.usage.summarise(request);
  }

  @HandleRpc(billingContracts.listUsage)
  listUsage(request: ListUsageRequest): Promise<UsageList> {
    return this.usage.list(request);
  }

  @HandleRpc(billingContracts.showUsage)
  showUsage(request: ShowUsageRequest): Promise<UsageDetail> {
    return this.usage.show(request);
  }

  @HandleRpc(billingContracts.listEarnings)
  listEarnings(request: ListEarningsRequest): Promise<EarningList> {
    return this.earnings.list(request);
  }

  @HandleRpc(billingContracts.listCredits)
  listCredits(request: ListCreditsRequest): Promise<CreditList> {
    return this.statements.listCredits(request);
  }
}
