import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { CortexConfig } from './cortex.config';

void startService({ name: 'cortex', config: CortexConfig, module: (parts) => AppModule.forService(parts) });
