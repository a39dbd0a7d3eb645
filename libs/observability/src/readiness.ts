/** One thing a service needs before it can serve: its NATS, its database, a view that has loaded. */
export interface ReadinessCheck {
  readonly name: string;
  /** Resolves to the state; a rejection or `up: false` makes the service not ready. */
  check(): Promise<ReadinessState> | ReadinessState;
}

export interface ReadinessState {
  up: boolean;
  /** Shown in the health reply; must not hold secrets or internal addresses. */
  detail?: string;
}
