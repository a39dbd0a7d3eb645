export { NestPinoLogger, createLogger, gatheredOutput } from './logger';
export type { Logger } from './logger';
export { Counter, Gauge, Histogram, createMetricsRegistry } from './metrics';
export type { MetricsRegistry } from './metrics';
export { ObservabilityModule } from './observability.module';
export type { ReadinessCheck, ReadinessState } from './readiness';
export { LOGGER, METRICS_REGISTRY } from './tokens';
