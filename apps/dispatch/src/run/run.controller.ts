import { Controller } from '@nestjs/common';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { HandleMessages } from '@svc/messaging';
import type { Msg } from 'nats';
import { GatewayWatch } from './gateway-watch.service';
import { RunIntake } from './run-intake.service';
import { RunService } from './run.service';

/** Takes the messages that start runs; the replicas share them. */
@Controller()
export class RunController {
  constructor(
    private readonly intake: RunIntake,
    private readonly gateways: GatewayWatch,
    private readonly runs: RunService,
  ) {}

  @HandleMessages(DISPATCH_SUBJECTS.start, { queue: DISPATCH_SUBJECTS.queue })
  start(message: Msg): void {
    const run = this.intake.read(message);
    if (!run) return;
    this.gateways.heard(run.gatewayId);
    this.runs.start(run);
  }
}
