import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { GatewayHttpAdapter } from './http/gateway-http.adapter';
import { HttpErrorFilter } from './http/http-error.filter';
import { serveSite } from './portal-api/site/serve-site';
import { prepareHttp } from './prepare-http';
import { DispatchLink } from './runs/dispatch-link';

/** Last settings before the gateway listens. */
export function prepareGateway(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as unknown as GatewayHttpAdapter;
  app.useGlobalFilters(new HttpErrorFilter(app.get<Logger>(LOGGER), adapter));
  prepareHttp(app, app.get(DispatchLink).maxPayloadBytes);
  serveSite(app);
}
