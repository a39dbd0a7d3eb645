import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { CortexConfig } from './cortex.config';
import { LiveOffers } from './offers/live-offers';

void startService({
  name: 'cortex',
  config: CortexConfig,
  module: (parts) => AppModule.forService(parts),
  callsNeed: (app) => app.get(LiveOffers, { strict: false }),
});
