import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { CATALOG_BUCKETS, catalogKey, isOfferOver } from '@svc/contracts';
import type { OfferView } from '@svc/contracts';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { EndpointOpener } from '../provider-client/endpoint-opener.service';
import type { OpenedEndpoint } from '../provider-client/endpoint-opener.service';
import { OfferPrices } from './offer-prices';

/** An offer, where it is served, and what plans may say that it asks. */
export interface Offer extends OfferView {
  opened: OpenedEndpoint;
  prices: OfferPrices;
}

interface KnownOffer {
  view: OfferView;
  offer: Offer;
}

/** A run that comes right after the start waits so long for the offers. */
export const LOAD_PATIENCE_MS = 3_000;
/** Changes come in bursts: they are gone through together. */
const REFRESH_DELAY_MS = 200;
/** Opening an endpoint takes a tenth of a millisecond; runs under way come between. */
const OPENED_A_TURN = 20;

/** The live offers, from the catalogue's published view; while the catalogue is away the last ones known, each until its end. */
@Injectable()
export class OfferDirectory implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly view: KvView<OfferView>;
  private readonly known = new Map<string, KnownOffer>();
  private refreshTimer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly endpoints: EndpointOpener,
    metrics: DispatchMetrics,
  ) {
    metrics.watchFormerCredentials(
      () => this.offered.filter((view) => endpoints.needsFormerKey(view)).length,
    );
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
  whenLoaded(patienceMs: number): Promise<void> {
    return this.view.whenLoaded(patienceMs);
  }

  /** Tells if the offers are not known for longer than runs wait for them, and when they are then: from there on what is known is served. */
  follow(follower: { onAway(reason: Error): void; onBack(): void }): void {
    this.view.followLoad(LOAD_PATIENCE_MS, follower);
  }

  find(offerId: string): Offer | undefined {
    const view = this.view.get(catalogKey(offerId));
    return view?.offerId === offerId && !isOfferOver(view, Date.now()) ? this.offerOf(view) : undefined;
  }

  onApplicationBootstrap(): void {
    this.view.onChange(() => {
      this.refreshTimer ??= setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
    });
    this.view.start();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.refreshTimer);
    this.view.stop();
  }

  /** Opens what has come, so that no request waits for it, and forgets what is gone. */
  private async refresh(): Promise<void> {
    let opened = 0;
    for (const view of this.offered) {
      if (this.known.get(view.offerId)?.view === view) continue;
      this.offerOf(view);
      if (++opened % OPENED_A_TURN === 0) await nextTurn();
      if (this.stopped) return;
    }
    for (const offerId of this.known.keys()) {
      if (!this.view.get(catalogKey(offerId))) this.known.delete(offerId);
    }
    // What came meanwhile is gone through next time.
    this.refreshTimer = undefined;
    if (this.offered.some((view) => this.known.get(view.offerId)?.view !== view)) {
      this.refreshTimer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
    }
  }

  /** What stands in the bucket under its own id: it is not taken on trust that all of it are offers. */
  private get offered(): OfferView[] {
    return [...this.view.values()].filter(
      (view) => typeof view.offerId === 'string' && this.view.get(catalogKey(view.offerId)) === view,
    );
  }

  private offerOf(view: OfferView): Offer {
    const known = this.known.get(view.offerId);
    if (known?.view === view) return known.offer;
    const opened = known && isSameVersion(known.view, view) ? known.offer.opened : this.open(view);
    const prices = known?.offer.prices ?? new OfferPrices(view);
    prices.change(view, performance.now());
    const offer = { ...view, opened, prices };
    this.known.set(view.offerId, { view, offer });
    return offer;
  }

  private open(view: OfferView): OpenedEndpoint {
    const { offerId, provider, version } = view;
    let opened: OpenedEndpoint;
    let err: unknown;
    try {
      opened = this.endpoints.open(view);
    } catch (error) {
      // What is in the bucket is not taken on trust: one entry must not end the process.
      err = error;
      opened = { problem: 'endpoint_invalid' };
    }
    if (opened.problem) {
      this.logger.error(
        { offerId, provider, version, reason: opened.problem, err },
        'an offer cannot be called: its endpoint or credential cannot be read',
      );
    } else if (this.endpoints.needsFormerKey(view)) {
      this.logger.info({ offerId, provider, version }, 'an offer needs CREDENTIAL_KEY_PREVIOUS');
    }
    return opened;
  }
}

/** What was signed is the same; that it is published anew, at another certified concurrency say, opens nothing anew. */
function isSameVersion(a: OfferView, b: OfferView): boolean {
  return a.version === b.version && a.endpoint === b.endpoint && a.credential === b.credential;
}
