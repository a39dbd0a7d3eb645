import type { Messaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { GatewayWatch } from './gateway-watch.service';
import type { RunEndings } from './run-endings.service';
import type { RunRegistry } from './run-registry.service';
import type { RunService } from './run.service';

afterEach(() => jest.useRealTimers());

it('warns of a gateway that fell silent while runs were its own, and of none that left in order', () => {
  jest.useFakeTimers();
  const runs = [
    { gatewayId: 'left', request: { idempotent: true } },
    { gatewayId: 'killed', request: {} },
  ];
  const logger = createLogger('dispatch', 'silent');
  const warn = jest.spyOn(logger, 'warn');
  const stopAll = jest.fn();
  const connection = { isClosed: () => true, subscribe: () => undefined, status: () => [] };
  const watch = new GatewayWatch(
    { connection, instanceId: 'me' } as unknown as Messaging,
    { stopAll } as unknown as RunService,
    { liveRuns: runs, takeUndelivered: () => [] } as unknown as RunRegistry,
    {} as RunEndings,
    logger,
  );
  watch.onApplicationBootstrap();
  for (const gatewayId of ['left', 'killed']) watch.heard(gatewayId);
  jest.advanceTimersByTime(10_000);
  watch.onApplicationShutdown();
  expect(stopAll).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
    { gatewayId: 'killed', underWay: 1, undelivered: 0 },
  ]);
});
