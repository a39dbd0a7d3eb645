import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { CatalogConfig } from '../catalog.config';
import { OfferHealthModule } from '../watch/health/offer-health.module';
import { SilentProviders } from '../watch/heartbeat/silent-providers';
import { CertificationEndings } from './certification-endings.service';
import { CertificationReportStore } from './certification-report.store';
import { CertificationRunStore } from './certification-run.store';
import { CertificationRunner } from './certification-runner.service';
import { CertificationController } from './certification.controller';
import { CertificationMetrics } from './certification.metrics';
import { CERTIFICATION_SETTINGS } from './certification.settings';
import type { CertificationSettings } from './certification.settings';
import { ProbeCaller } from './probe-caller.service';
import { RunConductor } from './run-conductor.service';

const LEASE_MS = 30_000;
const POLL_MS = 300;
const RETRY_MS = 2_000;
const BUSY_RETRY_MS = 60_000;

type Limits = Pick<
  CatalogConfig,
  | 'certificationConcurrency'
  | 'certificationTtlMs'
  | 'certificationMaxArgumentBytes'
  | 'certificationCallTimeoutMs'
  | 'certificationRunTimeoutMs'
  | 'certificationRetryMs'
  | 'certificationArgumentBudgetMs'
>;

/** Runs probes against offers, says what each may serve, and shows the evidence. */
@Module({})
export class CertificationModule {
  /** @param silentProviders what heartbeats hear */
  static forService(config: Limits, silentProviders: SilentProviders): DynamicModule {
    return {
      module: CertificationModule,
      imports: [OfferHealthModule],
      controllers: [CertificationController],
      providers: [
        {
          provide: CERTIFICATION_SETTINGS,
          inject: [MESSAGING],
          useFactory: (messaging: Messaging) => settingsOf(config, messaging),
        },
        { provide: SilentProviders, useValue: silentProviders },
        CertificationMetrics,
        CertificationReportStore,
        CertificationRunStore,
        ProbeCaller,
        CertificationEndings,
        RunConductor,
        CertificationRunner,
      ],
    };
  }
}

function settingsOf(config: Limits, { instanceId }: Messaging): CertificationSettings {
  return {
    runner: instanceId,
    concurrency: config.certificationConcurrency,
    ttlMs: config.certificationTtlMs,
    maxArgumentBytes: config.certificationMaxArgumentBytes,
    callTimeoutMs: config.certificationCallTimeoutMs,
    argumentBudgetMs: config.certificationArgumentBudgetMs,
    runTimeoutMs: config.certificationRunTimeoutMs,
    leaseMs: LEASE_MS,
    pollMs: POLL_MS,
    retryMs: RETRY_MS,
    busyRetryMs: BUSY_RETRY_MS,
    passingRetryMs: config.certificationRetryMs,
  };
}
