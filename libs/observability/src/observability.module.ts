import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { FactoryProvider } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import type { Logger } from './logger';
import { createMetricsRegistry } from './metrics';
import { MetricsController } from './metrics.controller';
import type { ReadinessCheck } from './readiness';
import { LOGGER, METRICS_REGISTRY, READINESS_CHECKS } from './tokens';

interface ObservabilityOptions {
  service: string;
  logger: Logger;
  /** Modules that export what `inject` names. */
  imports?: DynamicModule['imports'];
  inject?: FactoryProvider['inject'];
  /** Makes the readiness checks from what was injected. */
  readiness: (...dependencies: never[]) => ReadinessCheck[];
  /** The service shows its metrics on another port than the one that this module's controllers listen on. */
  metricsElsewhere?: boolean;
}

/** Health, metrics and logging of one service; global, so that every feature can inject `LOGGER`. */
@Module({})
export class ObservabilityModule {
  static forService(options: ObservabilityOptions): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      imports: [TerminusModule.forRoot({ logger: false, errorLogStyle: 'json' }), ...(options.imports ?? [])],
      controllers: [HealthController, ...(options.metricsElsewhere ? [] : [MetricsController])],
      providers: [
        { provide: LOGGER, useValue: options.logger },
        { provide: METRICS_REGISTRY, useFactory: () => createMetricsRegistry(options.service) },
        {
          provide: READINESS_CHECKS,
          useFactory: options.readiness,
          inject: options.inject ?? [],
        },
      ],
      exports: [LOGGER, METRICS_REGISTRY],
    };
  }
}
