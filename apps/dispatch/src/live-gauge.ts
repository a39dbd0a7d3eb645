import { Gauge } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';

/** A figure that is read when the metrics are. @param name without dispatch's prefix */
export function liveGauge(registry: MetricsRegistry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `svc_dispatch_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
