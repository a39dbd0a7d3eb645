import { createMetricsRegistry } from '@svc/observability';
import { DispatchMetrics } from './dispatch.metrics';

const GONE_KEPT_MS = 900_000;

it('figures of offers that have been gone for long are forgotten, and those of others stay', async () => {
  jest.useFakeTimers();
  const registry = createMetricsRegistry('test');
  const metrics = new DispatchMetrics(registry);
  const linesOf = async (offer: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.includes(`offer="${offer}"`)).length;
  for (const offer of ['stays', 'goes', 'comes back']) {
    metrics.attemptEnded(offer, 'served');
    metrics.attemptEnded(offer, 'busy');
    metrics.breakerBecame(offer, 'open');
    metrics.usageAdjusted(offer, 'counted');
  }
  const counts = () => Promise.all(['stays', 'goes', 'comes back'].map(linesOf));
  metrics.keepOnly((offer) => offer === 'stays');
  jest.advanceTimersByTime(GONE_KEPT_MS - 1);
  metrics.keepOnly((offer) => offer !== 'goes');
  expect(await counts()).toEqual([4, 4, 4]);
  jest.advanceTimersByTime(1);
  metrics.keepOnly((offer) => offer === 'stays');
  expect(await counts()).toEqual([4, 0, 4]);
  // What ends late is counted, and forgotten in its turn.
  metrics.attemptEnded('goes', 'served');
  expect(await linesOf('goes')).toBe(1);
  jest.useRealTimers();
});
