import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { CATALOG_BUCKETS, isOfferOver } from '@svc/contracts';
import type { OfferView } from '@svc/contracts';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { byBlendedPrice, readLiveOffer } from './live-offer';
import type { LiveOffer } from './live-offer';

/** A request that comes right after the start waits so long for the offers; below the contract's own patience. */
export const LOAD_PATIENCE_MS = 1_000;

interface ModelOffers {
  readonly market: LiveOffer[];
  readonly managed: LiveOffer[];
}

/** The catalogue's live offers by model, in memory; while the catalogue or NATS is away the last ones known, each until its end. */
@Injectable()
export class LiveOffers implements OnModuleInit, OnApplicationShutdown {
  readonly readiness: ReadinessCheck = {
    name: 'offers',
    check: () => ({ up: this.view.loaded, detail: this.view.loaded ? 'ok' : 'not loaded yet' }),
  };

  private readonly view: KvView<OfferView>;
  /** Made anew when asked after a change, which come in bursts, or after an offer's end. */
  private byModel: Map<string, ModelOffers> | undefined;
  private madeMs = 0;
  private nextEndMs = Infinity;
  /** The models whose offers are in order: only those that are asked for are put in it. */
  private readonly sorted = new WeakSet<ModelOffers>();
  /** What was read of an entry; a changed one is another object. */
  private readonly read = new WeakMap<OfferView, LiveOffer>();

  constructor(
    @Inject(MESSAGING) { connection }: Messaging,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.view = new KvView(connection, CATALOG_BUCKETS.offers, (key, error) =>
      logger.warn({ key, err: error }, 'offer could not be read'),
    );
    this.view.onChange(() => (this.byModel = undefined));
  }

  onModuleInit(): void {
    this.view.start();
  }

  onApplicationShutdown(): void {
    this.view.stop();
  }

  /** Resolves when the offers are known, or after `patienceMs`; at once except right after the start. */
  whenLoaded(patienceMs: number): Promise<void> {
    return this.view.whenLoaded(patienceMs);
  }

  /** Tells if the offers are not known for longer than requests wait for them, and when they are then: from there on what is known is served. */
  follow(follower: { onAway(reason: Error): void; onBack(): void }): void {
    this.view.followLoad(LOAD_PATIENCE_MS, follower);
  }

  get loaded(): boolean {
    return this.view.loaded;
  }

  /** A model's offers on the marketplace, the cheapest first by blended price. */
  ofModel(model: string): readonly LiveOffer[] {
    return this.offersOf(model)?.market ?? [];
  }

  /** The managed vendors that have a model, the cheapest first by blended price. */
  managedOf(model: string): readonly LiveOffer[] {
    return this.offersOf(model)?.managed ?? [];
  }

  private offersOf(model: string): ModelOffers | undefined {
    const nowMs = Date.now();
    // Of a clock that is set back, ends that had passed are still to come.
    if (!this.byModel || this.nextEndMs <= nowMs || nowMs < this.madeMs) this.byModel = this.index(nowMs);
    const offers = this.byModel.get(model);
    if (!offers || this.sorted.has(offers)) return offers;
    offers.market.sort(byBlendedPrice);
    offers.managed.sort(byBlendedPrice);
    this.sorted.add(offers);
    return offers;
  }

  private index(nowMs: number): Map<string, ModelOffers> {
    const byModel = new Map<string, ModelOffers>();
    this.madeMs = nowMs;
    this.nextEndMs = Infinity;
    for (const view of this.view.values()) {
      if (isOfferOver(view, nowMs)) continue;
      const offer = this.read.get(view) ?? readLiveOffer(view);
      if (!offer) {
        this.logger.warn({ offerId: view.offerId }, 'offer does not fit');
        continue;
      }
      this.read.set(view, offer);
      this.nextEndMs = Math.min(this.nextEndMs, view.endsAtMs ?? Infinity);
      let offers = byModel.get(view.model);
      if (!offers) byModel.set(view.model, (offers = { market: [], managed: [] }));
      (view.mapping === undefined ? offers.market : offers.managed).push(offer);
    }
    return byModel;
  }
}
