import { Controller, Inject } from '@nestjs/common';
import { cortexContracts } from '@svc/contracts';
import type { CreatePlanRequest, Plan } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { Counter, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { PlanService } from './plan.service';

@Controller()
export class PlanController {
  private readonly plans: Counter<'outcome'>;

  constructor(
    private readonly service: PlanService,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    this.plans = new Counter({
      name: 'svc_cortex_plans_total',
      help: 'Plans made, by outcome (planned; managed: managed vendors alone; empty)',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  @HandleRpc(cortexContracts.createPlan)
  async create(request: CreatePlanRequest): Promise<Plan> {
    const plan = await this.service.create(request);
    this.plans.inc({ outcome: outcomeOf(plan) });
    return plan;
  }
}

/** Managed vendors come last: the first attempt tells. */
function outcomeOf({ attempts: [first] }: Plan): string {
  if (!first) return 'empty';
  return first.mapping === undefined ? 'planned' : 'managed';
}
