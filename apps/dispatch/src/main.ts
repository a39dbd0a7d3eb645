import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { DispatchConfig } from './dispatch.config';
import { OfferDirectory } from './offers/offer-directory.service';
import { leaveProbes } from './probe/leave-probes';

void startService({
  name: 'dispatch',
  config: DispatchConfig,
  module: (parts) => AppModule.forService(parts),
  // Watches and signals must be at work before the first run is taken.
  prepare: async (app) => {
    await app.init();
  },
  callsNeed: (app) => app.get(OfferDirectory, { strict: false }),
  leave: leaveProbes,
});
