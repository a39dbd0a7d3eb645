import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { SettlementService } from '../settlement/settlement.service';
import { GatewayWatch } from './gateway-watch.service';
import { RunDrain } from './run-drain.service';
import { RunEndings } from './run-endings.service';
import { RunFigures } from './run-figures.service';
import { RunIntake } from './run-intake.service';
import { RunRegistry } from './run-registry.service';
import { RunSignals } from './run-signals.service';
import { RunSweeps } from './run-sweeps.service';
import { RunController } from './run.controller';
import { RunService } from './run.service';

/** Runs: from the message that starts one to its settled end. */
@Module({
  imports: [AttemptModule],
  controllers: [RunController],
  providers: [
    RunIntake,
    RunRegistry,
    RunService,
    RunEndings,
    RunSignals,
    RunSweeps,
    RunDrain,
    RunFigures,
    GatewayWatch,
    SettlementService,
  ],
})
export class RunModule {}
