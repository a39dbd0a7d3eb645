import { useQuickKeccak } from '@svc/contracts-evm';
import { DatabaseWatch, databaseAway } from '@svc/persistence';
import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { BillingConfig } from './billing.config';

void useQuickKeccak().then(() =>
  startService({
    name: 'billing',
    config: BillingConfig,
    module: (parts) => AppModule.forService(parts),
    refusalOf: databaseAway,
    callsNeed: (app) => app.get(DatabaseWatch),
  }),
);
