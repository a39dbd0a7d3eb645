import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DISPATCH_SUBJECTS, HealthReport } from '@svc/contracts';
import { HandleMessages } from '@svc/messaging';
import { Counter, LOGGER, METRICS_REGISTRY } from '@svc/observability';
import type { Logger, MetricsRegistry } from '@svc/observability';
import { compileValidator } from '@svc/validation';
import type { Msg } from 'nats';
import { OfferHealthService } from './offer-health.service';

/** Hears dispatch's reports; every cortex hears them all. */
@Controller()
export class HealthReportController {
  private readonly validate = compileValidator(HealthReport);
  private readonly reports: Counter<'outcome'>;

  constructor(
    private readonly health: OfferHealthService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    this.reports = new Counter({
      name: 'svc_cortex_health_reports_total',
      help: 'Health reports from dispatch, by outcome (accepted, refused)',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  @HandleMessages(DISPATCH_SUBJECTS.health)
  take(@Payload() message: Msg): void {
    const result = this.validate(parse(message));
    if (!result.ok) {
      this.reports.inc({ outcome: 'refused' });
      this.logger.warn({ subject: message.subject, path: result.problem.path }, 'health report refused');
      return;
    }
    this.reports.inc({ outcome: 'accepted' });
    this.health.record(result.value);
  }
}

/** @returns undefined, which no rule accepts, for what is not JSON */
function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
