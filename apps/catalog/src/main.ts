import { DatabaseWatch, databaseAway } from '@svc/persistence';
import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { CatalogConfig } from './catalog.config';

void startService({
  name: 'catalog',
  config: CatalogConfig,
  module: (parts) => AppModule.forService(parts),
  refusalOf: databaseAway,
  callsNeed: (app) => app.get(DatabaseWatch),
});
