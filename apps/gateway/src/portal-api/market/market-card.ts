import type { MarketOffer, ModelMarket } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import type { ListedModel } from '../../models/listed-model';
import { modelCardOf, toolContractCard } from '../../models/model-card';
import { healthCard } from '../../supply/offers/offer-card';
import type { MarketModelReply, MarketOfferReply } from './market.dto';

/** A model with its market; undefined while nobody can say how that stands. */
export function marketModelCard(
  model: ListedModel,
  market: ModelMarket | undefined,
  environment: Environment,
): MarketModelReply {
  return {
    ...modelCardOf(model, environment),
    ...(market && { live_offers: market.liveOffers }),
    health: healthCard(market?.health ?? {}),
  };
}

/** An offer as everybody may see it: every field is named here. */
export function marketOfferCard(offer: MarketOffer, environment: Environment): MarketOfferReply {
  const { toolContract } = offer;
  return {
    offer_id: offer.offerId,
    provider: offer.provider,
    provider_name: offer.providerName,
    bundle: offer.bundle,
    quantisation: offer.quantisation,
    engine: offer.engine,
    profile: offer.profile,
    hardware_class: offer.hardwareClass,
    speed_tier: offer.speedTier,
    input_price_per_mtok: offer.inputPricePerMtok,
    output_price_per_mtok: offer.outputPricePerMtok,
    context_limit: offer.contextLimit,
    max_output_tokens: offer.maxOutputTokens,
    concurrency: offer.concurrency,
    certification_id: offer.certificationId,
    tools: toolContract !== null,
    structured_outputs: offer.structuredOutputs,
    ...(environment.publishesToolContract &&
      toolContract && { tool_contract: toolContractCard(toolContract) }),
    health: healthCard(offer.health),
  };
}
