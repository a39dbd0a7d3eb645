import { createMetricsRegistry } from '@svc/observability';
import { ChainMetrics } from './chain.metrics';

describe('how long ago the chain last answered', () => {
  it('counts from the start until it has', async () => {
    const registry = createMetricsRegistry('test');
    const metrics = new ChainMetrics(registry);
    const lag = async () => {
      const [seconds] =
        (await registry.getSingleMetric('svc_billing_chain_lag_seconds')?.get())?.values ?? [];
      return seconds?.value;
    };
    expect(await lag()).toBeLessThan(60);
    metrics.readAt.set(Date.now() / 1_000 - 120);
    expect(await lag()).toBeGreaterThanOrEqual(120);
  });
});
