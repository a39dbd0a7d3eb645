import { ServiceConfig, loadConfig } from '@svc/config';
import { ObservabilityModule, createLogger } from '@svc/observability';
import { PrivateNats } from '@svc/testing';
import { listenService } from './listen-service';

it('says where a service listens that took any free port', async () => {
  const nats = await PrivateNats.start();
  const config = loadConfig(ServiceConfig, { HTTP_PORT: '0', NATS_URL: 'nats://127.0.0.1' });
  const parts = { config, logger: createLogger('test', 'silent'), messaging: await nats.connectAs('cortex') };
  const { app, address } = await listenService(
    {
      module: ({ logger }) =>
        ObservabilityModule.forService({ service: 'test', logger, readiness: () => [] }),
    },
    parts,
  );
  expect((await fetch(`${address}/health/live`)).status).toBe(200);
  await app.close();
  await nats.close();
});
