import { NestFactory } from '@nestjs/core';
import { HealthController } from './health.controller';
import { createLogger } from './logger';
import type { MetricsRegistry } from './metrics';
import { ObservabilityModule } from './observability.module';
import { METRICS_REGISTRY } from './tokens';

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

it('says of a check that fails that it did, and to the log why, once', async () => {
  const logger = createLogger('test', 'silent');
  const warn = jest.spyOn(logger, 'warn');
  let reason = 'no password for 10.0.0.7';
  const module = ObservabilityModule.forService({
    service: 'test',
    logger,
    readiness: () => [{ name: 'database', check: () => Promise.reject(new Error(reason)) }],
  });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const ask = () =>
    app
      .get(HealthController)
      .ready()
      .catch((error: { response: unknown }) => error.response);
  const answer = await ask();
  expect(answer).toMatchObject({
    error: { database: { status: 'down', detail: 'failed: the log says why' } },
  });
  expect(JSON.stringify(answer)).not.toContain('10.0.0.7');
  await ask();
  reason = 'another';
  await ask();
  expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([
    { check: 'database', err: { message: 'no password for 10.0.0.7' } },
    { check: 'database', err: { message: 'another' } },
  ]);
  await app.close();
});

it('shows in the metrics what it would say, and keeps nobody who reads them waiting', async () => {
  let isUp = true;
  const module = ObservabilityModule.forService({
    service: 'test',
    logger: createLogger('test', 'silent'),
    readiness: () => [
      { name: 'nats', check: () => ({ up: isUp }) },
      { name: 'database', check: () => new Promise(() => undefined) },
      { name: 'chain', check: () => Promise.reject(new Error('another chain')) },
    ],
  });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const metric = app.get<MetricsRegistry>(METRICS_REGISTRY).getSingleMetric('svc_ready');
  jest.useFakeTimers();
  const shown = async () => {
    const values = metric?.get();
    await jest.advanceTimersByTimeAsync(500);
    const all =
      (await values)?.values.map(({ labels, value }) => [String(labels.check), value] as const) ?? [];
    return Object.fromEntries(all);
  };
  expect(await shown()).toEqual({ nats: 1, database: 0, chain: 0 });
  isUp = false;
  expect(await shown()).toMatchObject({ nats: 0 });
  jest.useRealTimers();
  await app.close();
});
