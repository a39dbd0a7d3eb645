import { Injectable } from '@nestjs/common';
import type { MarketOffer, ModelMarket, ShowMarketRequest, ShownMarket } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import type { Markets } from '../publication/markets';
import type { CertifiedTerms } from '../publication/publication.store';
import { PublicationService } from '../publication/publication.service';
import { servedLimits } from '../publication/served-limits';
import { OfferHealthView } from '../watch/health/offer-health.view';
import { joinedHealth } from './joined-health';
import { LiveOffers } from './live-offers';
import { MarketStore } from './market.store';
import type { OfferBackground } from './market.store';

/** The market as it was published last, with who is behind the offers and how they have been doing of late. */
@Injectable()
export class MarketService {
  private offers: LiveOffers | undefined;

  constructor(
    private readonly publication: PublicationService,
    private readonly health: OfferHealthView,
    private readonly store: MarketStore,
  ) {}

  /** @throws SvcError no_capacity before the first publication */
  async show({ models, offset, limit }: ShowMarketRequest): Promise<ShownMarket> {
    const offers = this.liveOffers();
    const pages = models.map((model) => {
      const live = offers.of(model);
      return { model, live, page: live.slice(offset, offset + limit) };
    });
    const backgrounds = await this.store.backgrounds(
      pages.flatMap(({ page }) => page.map(({ offerId }) => offerId)),
    );
    return {
      models: pages.map(({ model, live, page }): ModelMarket => ({
        model,
        liveOffers: live.length,
        health: joinedHealth(live.map(({ offerId }) => this.health.figures(offerId))),
        offers: page.flatMap((terms) => this.offer(terms, backgrounds.get(terms.offerId), offers.markets)),
      })),
    };
  }

  private liveOffers(): LiveOffers {
    const { markets } = this.publication;
    if (!markets) throw noCapacity('The market is being read; try again.', 1);
    if (this.offers?.markets !== markets) this.offers = new LiveOffers(markets);
    return this.offers;
  }

  /** Field by field: terms hold what is nobody's business. */
  private offer(
    terms: CertifiedTerms,
    background: OfferBackground | undefined,
    markets: Markets,
  ): MarketOffer[] {
    const model = markets.definitionOf(terms.model);
    if (!background || !model) return [];
    const { lastSeenAt, providerName, quantisation, engine, hardwareClass, speedTier } = background;
    return [
      {
        offerId: terms.offerId,
        provider: terms.provider,
        providerName,
        bundle: terms.bundleId,
        quantisation,
        engine,
        profile: terms.profileId,
        hardwareClass,
        speedTier,
        inputPricePerMtok: terms.inputPricePerMtok,
        outputPricePerMtok: terms.outputPricePerMtok,
        ...servedLimits(model, terms),
        concurrency: Math.min(terms.concurrency, terms.scope.concurrency),
        certificationId: terms.certificationId,
        structuredOutputs: terms.scope.capabilities.structuredOutputs,
        toolContract: terms.scope.toolContract,
        health: {
          ...(lastSeenAt && { lastSeenAt: lastSeenAt.toISOString() }),
          ...this.health.of(terms.offerId),
        },
      },
    ];
  }
}
