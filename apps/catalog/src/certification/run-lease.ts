import { PeriodicJob } from '@svc/service-host';

const RENEWALS_PER_LEASE = 3;

/** Keeps a run this process's, and says when it is not any more. */
export class RunLease {
  private readonly lost = new AbortController();
  private readonly job: PeriodicJob;
  private renewedAtMs = performance.now();

  /** @param renew whether the run is still ours */
  constructor(renew: () => Promise<boolean>, leaseMs: number) {
    this.job = new PeriodicJob({
      intervalMs: leaseMs / RENEWALS_PER_LEASE,
      work: async () => {
        const askedAtMs = performance.now();
        if (await renew()) this.renewedAtMs = askedAtMs;
        else this.lost.abort();
      },
      // The database is away. Once the lease is over, others may have taken the run.
      onError: () => {
        if (performance.now() > this.renewedAtMs + leaseMs) this.lost.abort();
      },
    });
    this.job.start();
  }

  /** Aborted when the run is lost. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  stop(): Promise<void> {
    return this.job.stop();
  }
}
