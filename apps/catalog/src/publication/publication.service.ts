import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '@svc/environment';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { within } from '@svc/time-limit';
import { CertifiedTermsCache } from './certified-terms';
import { Markets } from './markets';
import { PublicationMetrics } from './publication.metrics';
import { PublicationStore } from './publication.store';
import type { PublicationReader } from './publication.store';
import { computeViews, modelsWithoutOffers } from './published-views';
import { ViewBuckets } from './view-buckets.store';
import type { ReplaceOptions } from './view-buckets.store';
import { ENVIRONMENT } from './tokens';

/** How long an act may wait for its publication before it is answered. */
const SOON_MS = 2_000;

/**
 * Makes the published views equal to the tables. Each publication computes both views anew from what can change and writes what
 * differs, so none depends on an earlier one having worked.
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
  private nextFromScratch = true;
  private readonly terms = new CertifiedTermsCache();
  private momentMs: number | undefined;
  private published: Markets | undefined;

  constructor(
    private readonly store: PublicationStore,
    private readonly buckets: ViewBuckets,
    private readonly metrics: PublicationMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Whether the last publication worked. */
  get succeeded(): boolean {
    return this.lastSucceeded;
  }

  /** The markets as they were published last; undefined before the first time. */
  get markets(): Markets | undefined {
    return this.published;
  }

  /** How long until the views change without anybody acting (an offer or a certification ends), ms; Infinity when they do not. */
  get nextMomentInMs(): number {
    return this.momentMs === undefined ? Infinity : this.momentMs - performance.now();
  }

  /**
   * Publishes what is committed by now. Calls during a publication share the next one.
   * @param options.fromScratch reads the buckets whole, in case one was changed or lost unseen
   * @returns whether it worked; never rejects
   */
  publish(options: { fromScratch?: boolean } = {}): Promise<boolean> {
    this.nextFromScratch ||= options.fromScratch ?? false;
    this.waiting ??= this.running.then(() => {
      this.waiting = undefined;
      this.running = this.publishOnce();
      return this.running;
    });
    return this.waiting;
  }

  /** Publishes, and resolves when that is done or takes long: an act that is committed stands whatever becomes of its publication. */
  async publishSoon(): Promise<void> {
    await within(SOON_MS, this.publish());
  }

  private async publishOnce(): Promise<boolean> {
    const fromScratch = this.nextFromScratch;
    this.nextFromScratch = false;
    try {
      await this.store.exclusively((reader, signal) => this.replaceViews(reader, { fromScratch, signal }));
    } catch (error) {
      this.metrics.publications.inc({ outcome: 'failed' });
      this.logger.warn({ err: error }, 'views could not be published');
      this.nextFromScratch = true;
      this.lastSucceeded = false;
      return false;
    }
    this.metrics.publications.inc({ outcome: 'succeeded' });
    this.lastSucceeded = true;
    this.publishedOnce = true;
    await this.removeMarks();
    return true;
  }

  /** They only take room: what is published stands without it. */
  private async removeMarks(): Promise<void> {
    try {
      for (const view of ['offers', 'models'] as const) await this.buckets.removeMarks(view);
    } catch (error) {
      this.logger.warn({ err: error }, 'marks of removed keys stay');
    }
  }

  private async replaceViews(reader: PublicationReader, options: ReplaceOptions): Promise<void> {
    const now = await reader.now();
    const readAtMs = performance.now();
    const models = await reader.models();
    const markets = new Markets(await this.terms.join(await reader.certifiedOffers(), reader), models, now);
    const former = await reader.formerScopes(modelsWithoutOffers(models, markets));
    const definitions = {
      models,
      routingModels: await reader.routingModels(),
      managedVendors: await reader.managedVendors(),
      managedAnswerNamed: this.environment.managedAnswers === 'named',
    };
    const views = computeViews(definitions, markets, former);
    // Offers first: a model that shows a price can then be planned for.
    for (const view of ['offers', 'models'] as const) {
      const { put, deleted } = await this.buckets.replace(view, views[view], options);
      this.metrics.changedEntries.inc({ view }, put + deleted);
      this.metrics.publishedEntries.set({ view }, views[view].size);
      if (put + deleted > 0) this.logger.info({ view, put, deleted }, 'view published');
    }
    this.published = markets;
    const { nextMoment } = markets;
    this.momentMs = nextMoment && readAtMs + (nextMoment.getTime() - now.getTime());
  }
}
