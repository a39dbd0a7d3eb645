import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { CatalogConfig } from '../catalog.config';
import { CertificationSchedule } from './canary/certification-schedule';
import { DueCertificationsStore } from './canary/due-certifications.store';
import { HealthReportController } from './health/health-report.controller';
import { HealthSuspension } from './health/health-suspension.service';
import { HealthSuspensionStore } from './health/health-suspension.store';
import { OfferHealthModule } from './health/offer-health.module';
import { DueHeartbeatsStore } from './heartbeat/due-heartbeats.store';
import { HeartbeatRecorder } from './heartbeat/heartbeat.recorder';
import { HeartbeatService } from './heartbeat/heartbeat.service';
import { HeartbeatStore } from './heartbeat/heartbeat.store';
import { PulseService } from './heartbeat/pulse.service';
import { SilentProviders } from './heartbeat/silent-providers';
import { SuspendedGauges } from './suspended-gauges';
import { WATCH_SETTINGS } from './tokens';
import type { WatchSettings } from './tokens';
import { WatchMetrics } from './watch.metrics';

/** Watches offers that were certified: heartbeats, real traffic, canaries, and that certifications do not lapse. */
@Module({})
export class WatchModule {
  /** @param silentProviders is told what heartbeats hear */
  static forService(
    { heartbeatMs, canaryMs, certificationTtlMs }: CatalogConfig,
    silentProviders: SilentProviders,
  ): DynamicModule {
    const settings: WatchSettings = { heartbeatMs, canaryMs, certificationTtlMs };
    return {
      module: WatchModule,
      imports: [OfferHealthModule],
      controllers: [HealthReportController],
      providers: [
        { provide: WATCH_SETTINGS, useValue: settings },
        { provide: SilentProviders, useValue: silentProviders },
        WatchMetrics,
        SuspendedGauges,
        HealthSuspensionStore,
        HealthSuspension,
        DueHeartbeatsStore,
        HeartbeatStore,
        HeartbeatRecorder,
        PulseService,
        HeartbeatService,
        DueCertificationsStore,
        CertificationSchedule,
      ],
      exports: [OfferHealthModule],
    };
  }
}
