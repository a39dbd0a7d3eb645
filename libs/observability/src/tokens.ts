/** Injection token of the service's `Logger`. */
export const LOGGER = Symbol('svc.logger');
/** Injection token of the service's `MetricsRegistry`. */
export const METRICS_REGISTRY = Symbol('svc.metrics');
/** Injection token of the service's `ReadinessCheck[]`. */
export const READINESS_CHECKS = Symbol('svc.readiness');
