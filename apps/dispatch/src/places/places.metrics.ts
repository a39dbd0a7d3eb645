import { Inject, Injectable } from '@nestjs/common';
import { Counter, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { liveGauge } from '../live-gauge';

/** How a wait for a place ended. */
export type WaitOutcome = 'got' | 'timed_out' | 'too_many' | 'aborted';

/** Figures that are read when somebody asks for the metrics. */
interface PlaceFigures {
  held(): number;
  used(): number;
}

@Injectable()
export class PlacesMetrics {
  private readonly waits: Counter<'outcome'>;
  private readonly writes: Counter<'outcome'>;

  constructor(@Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry) {
    const counter = (name: string, help: string) =>
      new Counter<'outcome'>({ name, help, labelNames: ['outcome'], registers: [registry] });
    this.waits = counter('svc_dispatch_place_waits_total', 'Waits for a place at an offer by outcome.');
    this.writes = counter(
      'svc_dispatch_place_writes_total',
      'Changes of who holds the places, by outcome; a conflict is tried again.',
    );
    // An alarm waits for it.
    this.writes.inc({ outcome: 'failed' }, 0);
  }

  waitEnded(outcome: WaitOutcome): void {
    this.waits.inc({ outcome });
  }

  writeEnded(outcome: 'written' | 'conflict' | 'failed'): void {
    this.writes.inc({ outcome });
  }

  watchPlaces(figures: PlaceFigures): void {
    liveGauge(this.registry, 'places_held', 'Places that this instance holds, all offers together.', () =>
      figures.held(),
    );
    liveGauge(this.registry, 'places_used', 'Of those, the ones with a request under way.', () =>
      figures.used(),
    );
  }

  watchWaiting(waiting: () => number): void {
    liveGauge(this.registry, 'places_waiting', 'Requests that wait for a place at an offer.', waiting);
  }
}
