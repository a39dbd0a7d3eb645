import { startService } from '@svc/service-host';
import { AppModule } from './app.module';
import { systemClock } from './clock';
import { serveDocs } from './docs/serve-docs';
import { GatewayConfig } from './gateway.config';
import { GatewayHttpAdapter } from './http/gateway-http.adapter';
import { leaveClients } from './http/leave-clients';
import { prepareGateway } from './prepare-gateway';

void startService({
  name: 'gateway',
  config: GatewayConfig,
  module: (parts) => AppModule.forParts(parts, systemClock),
  adapter: ({ maxConnections, proxies }) => new GatewayHttpAdapter(maxConnections, proxies),
  prepare: (app) => {
    prepareGateway(app);
    serveDocs(app);
  },
  leave: leaveClients,
});
