import { EventEmitter, once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { CATALOG_BUCKETS, catalogKey } from '@svc/contracts';
import type { OfferView } from '@svc/contracts';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { endpointOf } from '../provider-client/endpoint';
import type { Endpoint } from '../provider-client/endpoint';
import { ProviderClient } from '../provider-client/provider-client.service';

/** An offer and where it is served. */
export interface Offer extends OfferView {
  /** Undefined when the endpoint is no URL that can be called. */
  target: Endpoint | undefined;
}

/** The live offers, from the catalogue's published view; the last known ones while the catalogue is away. */
@Injectable()
export class OfferDirectory implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly view: KvView<OfferView>;
  private readonly offers = new WeakMap<OfferView, Offer>();
  private readonly firstLoad = new EventEmitter();

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(LOGGER) logger: Logger,
    private readonly providers: ProviderClient,
  ) {
    this.view = new KvView<OfferView>(messaging.connection, CATALOG_BUCKETS.offers, (key, error) =>
      logger.error({ key, err: error }, 'an offer in the view cannot be read'),
    );
  }

  get readiness(): ReadinessCheck {
    return { name: 'offers', check: () => ({ up: this.view.loaded }) };
  }

  get loaded(): boolean {
    return this.view.loaded;
  }

  /** Waits for the first load, but no longer than that: runs that come right after a start are not failed for it. */
  async awaitLoad(patienceMs: number): Promise<void> {
    const signal = AbortSignal.timeout(patienceMs);
    if (!this.view.loaded) await once(this.firstLoad, 'loaded', { signal }).catch(() => undefined);
  }

  find(offerId: string): Offer | undefined {
    const view = this.view.get(catalogKey(offerId));
    return view && this.offerOf(view);
  }

  onApplicationBootstrap(): void {
    this.view.onChange(() => {
      this.firstLoad.emit('loaded');
      this.closeUnused();
    });
    this.view.start();
  }

  onApplicationShutdown(): void {
    this.view.stop();
  }

  private offerOf(view: OfferView): Offer {
    let offer = this.offers.get(view);
    if (!offer) this.offers.set(view, (offer = { ...view, target: endpointOf(view.endpoint) }));
    return offer;
  }

  private closeUnused(): void {
    const origins = new Set<string>();
    for (const view of this.view.values()) origins.add(this.offerOf(view).target?.origin ?? '');
    this.providers.keepOnly(origins);
  }
}
