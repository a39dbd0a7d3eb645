import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DISPATCH_SUBJECTS, HealthReport } from '@svc/contracts';
import { HandleMessages } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { compileValidator } from '@svc/validation';
import type { Msg } from 'nats';
import { WatchMetrics } from '../watch.metrics';
import { HealthSuspension } from './health-suspension.service';

/** Hears dispatch's reports; every instance hears them all. */
@Controller()
export class HealthReportController {
  private readonly validate = compileValidator(HealthReport);

  constructor(
    private readonly suspension: HealthSuspension,
    private readonly metrics: WatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @HandleMessages(DISPATCH_SUBJECTS.health)
  take(@Payload() message: Msg): void {
    const result = this.validate(parse(message));
    if (!result.ok) {
      this.metrics.reports.inc({ outcome: 'refused' });
      this.logger.warn({ subject: message.subject, path: result.problem.path }, 'health report refused');
      return;
    }
    this.metrics.reports.inc({ outcome: 'accepted' });
    this.suspension.take(result.value);
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
