import { Module } from '@nestjs/common';
import { RunMeter } from '../metering/run-meter.service';
import { PlanModule } from '../plan/plan.module';
import { HoldService } from '../hold/hold.service';
import { StoredReplies } from './stored-replies.service';
import { GatewayWatch } from './gateway-watch.service';
import { IdempotentEndings } from './idempotent-endings.service';
import { RunAttachments } from './run-attachments.service';
import { RunDrain } from './run-drain.service';
import { RunEndings } from './run-endings.service';
import { RunFigures } from './run-figures.service';
import { RunIntake } from './run-intake.service';
import { RunMemory } from './run-memory.service';
import { RunRegistry } from './run-registry.service';
import { RunSignals } from './run-signals.service';
import { RunSweeps } from './run-sweeps.service';
import { RunController } from './run.controller';
import { RunService } from './run.service';

/** Runs: from the message that starts one to its settled end. */
@Module({
  imports: [PlanModule],
  controllers: [RunController],
  providers: [
    RunIntake,
    RunRegistry,
    RunMemory,
    RunService,
    RunEndings,
    IdempotentEndings,
    RunAttachments,
    RunSignals,
    RunSweeps,
    RunDrain,
    RunFigures,
    GatewayWatch,
    RunMeter,
    HoldService,
    StoredReplies,
  ],
})
export class RunModule {}
