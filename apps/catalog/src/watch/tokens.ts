/** Injection token of {@link WatchSettings}. */
export const WATCH_SETTINGS = Symbol('svc.catalog.watch-settings');

/** How often watching looks, all in milliseconds. */
export interface WatchSettings {
  readonly heartbeatMs: number;
  readonly canaryMs: number;
  /** How long a certification is good. */
  readonly certificationTtlMs: number;
}
