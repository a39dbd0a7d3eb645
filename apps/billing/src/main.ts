import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { BillingConfig } from './billing.config';

void startService({ name: 'billing', config: BillingConfig, module: (parts) => AppModule.forService(parts) });
