import { NestFactory } from '@nestjs/core';
import { HealthController } from './health.controller';
import { createLogger } from './logger';
import { ObservabilityModule } from './observability.module';

afterEach(() => jest.useRealTimers());

it('says what is down before a probe gives up, though what it asks stands still', async () => {
  const module = ObservabilityModule.forService({
    service: 'test',
    logger: createLogger('test', 'silent'),
    readiness: () => [
      { name: 'nats', check: () => ({ up: true }) },
      { name: 'database', check: () => new Promise(() => undefined) },
    ],
  });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  jest.useFakeTimers();
  const answer = app
    .get(HealthController)
    .ready()
    .catch((error: { response: unknown }) => error.response);
  await jest.advanceTimersByTimeAsync(2_500);
  expect(await answer).toMatchObject({
    status: 'error',
    info: { nats: { status: 'up' } },
    error: { database: { status: 'down', detail: 'no answer' } },
  });
  jest.useRealTimers();
  await app.close();
});
