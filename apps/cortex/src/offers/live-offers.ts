import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { CATALOG_BUCKETS } from '@svc/contracts';
import type { OfferView } from '@svc/contracts';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { byBlendedPrice, readLiveOffer } from './live-offer';
import type { LiveOffer } from './live-offer';

/** The catalogue's live offers by model, in memory; the last ones known while the catalogue or NATS is away. */
@Injectable()
export class LiveOffers implements OnModuleInit, OnApplicationShutdown {
  readonly readiness: ReadinessCheck = {
    name: 'offers',
    check: () => ({ up: this.view.loaded, detail: this.view.loaded ? 'ok' : 'not loaded yet' }),
  };

  private readonly view: KvView<OfferView>;
  /** Made anew when asked after a change: changes come in bursts. */
  private byModel: Map<string, LiveOffer[]> | undefined;
  /** The models whose offers are in order: only those that are asked for are put in it. */
  private readonly sorted = new WeakSet<LiveOffer[]>();
  /** What was read of an entry; a changed one is another object. */
  private readonly read = new WeakMap<OfferView, LiveOffer>();
  private readonly firstLoad: Promise<void>;

  constructor(
    @Inject(MESSAGING) { connection }: Messaging,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.view = new KvView(connection, CATALOG_BUCKETS.offers, (key, error) =>
      logger.warn({ key, err: error }, 'offer could not be read'),
    );
    this.firstLoad = new Promise((resolve) => {
      this.view.onChange(() => {
        this.byModel = undefined;
        resolve();
      });
    });
  }

  onModuleInit(): void {
    this.view.start();
  }

  onApplicationShutdown(): void {
    this.view.stop();
  }

  /** Resolves when the offers are known, or after `patienceMs`; at once except right after the start. */
  async whenLoaded(patienceMs: number): Promise<void> {
    if (this.view.loaded) return;
    await Promise.race([this.firstLoad, delay(patienceMs, undefined, { ref: false })]);
  }

  /** A model's offers, the cheapest first by blended price. */
  ofModel(model: string): readonly LiveOffer[] {
    this.byModel ??= this.index();
    const offers = this.byModel.get(model);
    if (!offers) return [];
    if (!this.sorted.has(offers)) {
      offers.sort(byBlendedPrice);
      this.sorted.add(offers);
    }
    return offers;
  }

  private index(): Map<string, LiveOffer[]> {
    const byModel = new Map<string, LiveOffer[]>();
    for (const view of this.view.values()) {
      const offer = this.read.get(view) ?? readLiveOffer(view);
      if (!offer) {
        this.logger.warn({ offerId: view.offerId }, 'offer does not fit');
        continue;
      }
      this.read.set(view, offer);
      const offers = byModel.get(view.model);
      if (offers) offers.push(offer);
      else byModel.set(view.model, [offer]);
    }
    return byModel;
  }
}
