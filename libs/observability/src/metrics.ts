import { Registry, collectDefaultMetrics } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';

/**
 * The registry behind a service's `/metrics` (Prometheus text format), with the process's own figures
 * (CPU, memory, event-loop delay) in it.
 */
export function createMetricsRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

export type MetricsRegistry = Registry;
