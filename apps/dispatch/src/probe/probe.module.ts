import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { CompletionProbe } from './completion-probe.service';
import { EndpointProbe } from './endpoint-probe.service';
import { ProbePlaces } from './probe-places.service';
import { ProbeController } from './probe.controller';

/** Probes of endpoints for the catalogue: attempts without a run. */
@Module({
  imports: [AttemptModule, ProviderClientModule],
  controllers: [ProbeController],
  providers: [CompletionProbe, EndpointProbe, ProbePlaces],
})
export class ProbeModule {}
