import { Controller } from '@nestjs/common';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { HandleMessages } from '@svc/messaging';
import type { Msg } from 'nats';
import { GatewayWatch } from './gateway-watch.service';
import { isShared } from '../live-run/run';
import { RunAttachments } from './run-attachments.service';
import { RunIntake } from './run-intake.service';
import { RunService } from './run.service';

/** Takes the messages that start runs; the replicas share them. */
@Controller()
export class RunController {
  constructor(
    private readonly intake: RunIntake,
    private readonly gateways: GatewayWatch,
    private readonly runs: RunService,
    private readonly attachments: RunAttachments,
  ) {}

  @HandleMessages(DISPATCH_SUBJECTS.start, { queue: DISPATCH_SUBJECTS.queue })
  start(message: Msg): void {
    const taken = this.intake.read(message);
    if (!taken) return;
    const { run, who, subject } = taken;
    this.gateways.heard(who.gatewayId);
    if (isShared(run)) this.attachments.open(run, who, subject);
    this.runs.start(run);
  }
}
