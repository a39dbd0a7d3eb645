import { Injectable } from '@nestjs/common';
import { noCapacity } from '@svc/errors';
import { DispatchMetrics } from '../dispatch.metrics';

/** Of an instance: as many as an offer's concurrency may be certified for, and a few. */
const MAX_CALLS = 1_100;
const MAX_LOOKS = 1_100;
const RETRY_AFTER_SECONDS = 1;

export type ProbeKind = 'call' | 'check' | 'ping';

/** Bounds how many probes an instance has under way. They take no place of an offer's, and no run's. */
@Injectable()
export class ProbePlaces {
  private calls = 0;
  private looks = 0;

  constructor(private readonly metrics: DispatchMetrics) {
    metrics.watchProbes(() => this.calls + this.looks);
  }

  /**
   * Works on one probe.
   * @param outcomeOf the word that metrics count the result by
   * @throws SvcError no_capacity when too many are under way
   */
  async take<T>(kind: ProbeKind, work: () => Promise<T>, outcomeOf: (result: T) => string): Promise<T> {
    const isFull = kind === 'call' ? this.calls >= MAX_CALLS : this.looks >= MAX_LOOKS;
    if (isFull) {
      this.metrics.probeEnded(kind, 'no_capacity');
      throw noCapacity('Too many probes are under way here.', RETRY_AFTER_SECONDS);
    }
    this.count(kind, 1);
    try {
      const result = await work();
      this.metrics.probeEnded(kind, outcomeOf(result));
      return result;
    } finally {
      this.count(kind, -1);
    }
  }

  private count(kind: ProbeKind, more: number): void {
    if (kind === 'call') this.calls += more;
    else this.looks += more;
  }
}
