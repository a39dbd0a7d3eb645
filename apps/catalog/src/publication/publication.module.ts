import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { CatalogConfig } from '../catalog.config';
import { PublicationMetrics } from './publication.metrics';
import { PublicationSchedule } from './publication.schedule';
import { PublicationService } from './publication.service';
import { PublicationStore } from './publication.store';
import { ENVIRONMENT, REPUBLISH_MS } from './tokens';
import { ViewBuckets } from './view-buckets.store';

/** The published views. Global. */
@Module({})
export class PublicationModule {
  static forService(config: CatalogConfig): DynamicModule {
    return {
      module: PublicationModule,
      global: true,
      providers: [
        { provide: REPUBLISH_MS, useValue: config.republishMs },
        { provide: ENVIRONMENT, useValue: config.environment },
        ViewBuckets,
        PublicationMetrics,
        PublicationStore,
        PublicationService,
        PublicationSchedule,
      ],
      exports: [PublicationService],
    };
  }
}
