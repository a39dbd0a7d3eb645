/** Injection token of {@link CertificationSettings}. */
export const CERTIFICATION_SETTINGS = Symbol('svc.catalog.certification-settings');

/** How certification works in this process; times in ms. */
export interface CertificationSettings {
  /** Tells this process from its replicas: whose run a run is. */
  readonly runner: string;
  /** Runs under way at once. */
  readonly concurrency: number;
  /** How long a certification is good. */
  readonly ttlMs: number;
  readonly maxArgumentBytes: number;
  /** The longest that one request of a probe may take. */
  readonly callTimeoutMs: number;
  /** How long looking for the largest argument document may take. */
  readonly argumentBudgetMs: number;
  /** How long a run may be run for in all; a canary half as long, as each probe. */
  readonly runTimeoutMs: number;
  /** How long a runner may be silent before any other may take up its run. */
  readonly leaseMs: number;
  /** How often open runs are looked for. */
  readonly pollMs: number;
  /** When a run goes on that met a fault of our own. */
  readonly retryMs: number;
  /** When a run goes on that found its endpoint too busy with clients. */
  readonly busyRetryMs: number;
  /** When a run goes on that met what may pass, the first time; the second time it is four times as long. And one that was cut off, each time. */
  readonly passingRetryMs: number;
}
