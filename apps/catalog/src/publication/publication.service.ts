import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { CatalogueStore } from '../database/catalogue.store';
import { PublicationMetrics } from './publication.metrics';
import { computeViews } from './published-views';
import { ViewBuckets } from './view-buckets.store';

/** The longest a publication may keep the catalogue to itself. */
const PUBLISH_TIMEOUT_MS = 30_000;

/**
 * Makes the published views equal to the tables. Each publication computes everything anew and writes what differs, so none
 * depends on an earlier one having worked.
 */
@Injectable()
export class PublicationService {
  readonly readiness: ReadinessCheck = {
    name: 'published',
    check: () => ({ up: this.publishedOnce, detail: this.publishedOnce ? 'ok' : 'not published yet' }),
  };

  private publishedOnce = false;
  private lastSucceeded = false;
  private running: Promise<boolean> = Promise.resolve(true);
  private waiting: Promise<boolean> | undefined;

  constructor(
    private readonly store: CatalogueStore,
    private readonly buckets: ViewBuckets,
    private readonly metrics: PublicationMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether the last publication worked. */
  get succeeded(): boolean {
    return this.lastSucceeded;
  }

  /**
   * Publishes what is committed by now. Calls during a publication share the next one.
   * @returns whether it worked; never rejects
   */
  publish(): Promise<boolean> {
    this.waiting ??= this.running.then(() => {
      this.waiting = undefined;
      this.running = this.publishOnce();
      return this.running;
    });
    return this.waiting;
  }

  private async publishOnce(): Promise<boolean> {
    try {
      await this.store.exclusively(async ({ stored }) => {
        const views = computeViews(stored);
        // Offers first: a model that shows a price can then be planned for.
        for (const view of ['offers', 'models'] as const) {
          const { put, deleted } = await this.buckets.replace(view, views[view]);
          this.metrics.changedEntries.inc({ view }, put + deleted);
          this.metrics.publishedEntries.set({ view }, views[view].size);
          if (put + deleted > 0) this.logger.info({ view, put, deleted }, 'view published');
        }
      }, PUBLISH_TIMEOUT_MS);
    } catch (error) {
      this.metrics.publications.inc({ outcome: 'failed' });
      this.logger.warn({ err: error }, 'views could not be published');
      this.lastSucceeded = false;
      return false;
    }
    this.metrics.publications.inc({ outcome: 'succeeded' });
    this.lastSucceeded = true;
    this.publishedOnce = true;
    return true;
  }
}
