import { setMaxListeners } from 'node:events';
import { Injectable } from '@nestjs/common';
import { noCapacity } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { DispatchMetrics } from '../dispatch.metrics';

/** Of an instance: as many as an offer's concurrency may be certified for, and a few. */
const MAX_CALLS = 1_100;
const MAX_LOOKS = 1_100;
const RETRY_AFTER_SECONDS = 1;

type ProbeKind = 'call' | 'check' | 'ping';

/** Bounds how many probes an instance has under way. They take no place of an offer's, and no run's. */
@Injectable()
export class ProbePlaces {
  private calls = 0;
  private looks = 0;
  private readonly leaving = new AbortController();

  constructor(private readonly metrics: DispatchMetrics) {
    // Every probe under way listens.
    setMaxListeners(0, this.leaving.signal);
    metrics.watchProbes(() => this.calls + this.looks);
  }

  /**
   * Works on one probe.
   * @param work ends what it has begun when its signal is aborted; nobody waits for its result any more
   * @param outcomeOf the word that metrics count the result by
   * @throws SvcError no_capacity when too many are under way, or this instance leaves: another may be asked
   */
  async take<T>(
    kind: ProbeKind,
    work: (signal: AbortSignal) => Promise<T>,
    outcomeOf: (result: T) => string,
  ): Promise<T> {
    const isFull = kind === 'call' ? this.calls >= MAX_CALLS : this.looks >= MAX_LOOKS;
    if (isFull || this.leaving.signal.aborted) {
      this.metrics.probeEnded(kind, 'no_capacity');
      throw tooMany();
    }
    this.count(kind, 1);
    try {
      const result = await this.untilLeft(work);
      this.metrics.probeEnded(kind, outcomeOf(result));
      return result;
    } finally {
      this.count(kind, -1);
    }
  }

  /** Breaks off what is under way and takes no more. */
  leave(): void {
    this.leaving.abort();
  }

  private untilLeft<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.leaving;
    return new Promise<T>((resolve, reject) => {
      const breakOff = () => reject(tooMany());
      // Before the work listens: what it makes of its end is not the endpoint's answer.
      signal.addEventListener('abort', breakOff);
      void work(signal)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', breakOff));
    });
  }

  private count(kind: ProbeKind, more: number): void {
    if (kind === 'call') this.calls += more;
    else this.looks += more;
  }
}

function tooMany(): SvcError {
  return noCapacity('No more probes can be made here now.', RETRY_AFTER_SECONDS);
}
