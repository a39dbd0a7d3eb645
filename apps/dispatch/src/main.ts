import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { DispatchConfig } from './dispatch.config';
import { ProbePlaces } from './probe/probe-places.service';

void startService({
  name: 'dispatch',
  config: DispatchConfig,
  module: (parts) => AppModule.forService(parts),
  // Watches and signals must be at work before the first run is taken.
  prepare: async (app) => {
    await app.init();
  },
  // A probe may take longer than there is time, and runs are to have theirs.
  leave: (app) => {
    app.get(ProbePlaces).leave();
    return Promise.resolve();
  },
});
