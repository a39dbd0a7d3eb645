import type { components } from '../../api/generated/schema';

export type MarketModel = components['schemas']['MarketModelReply'];
export type MarketOffer = components['schemas']['MarketOfferReply'];
export type ToolContract = components['schemas']['CardToolContract'];
export type Pricing = components['schemas']['CardPricing'];

/** Whether anybody can be asked for it now. */
export function isLive(model: MarketModel): boolean {
  if (model.svc.cortex) return (model.svc.candidates ?? []).some(({ available }) => available);
  // In production a managed vendor answers where no provider can.
  if (model.svc.fallback_pricing) return true;
  // While the catalogue cannot be asked, a price tells: only a live offer has one.
  return model.live_offers === undefined ? model.svc.pricing !== undefined : model.live_offers > 0;
}

/** Whether nobody can say now how many offers it has, nor how they do. The routing model has none of its own. */
export function isStandingUnknown({ live_offers, svc }: MarketModel): boolean {
  return live_offers === undefined && !svc.cortex;
}

/** What it is sold for: as the cheapest live offer says; while there is none, as the managed fallback does, which then answers. */
export function priceOf({
  svc: { pricing, fallback_pricing, basis },
}: MarketModel): { pricing: Pricing; isMost: boolean } | undefined {
  if (pricing) return { pricing, isMost: basis === 'ceiling' };
  return fallback_pricing && { pricing: fallback_pricing, isMost: true };
}

/** Whether chat completions are made with it. */
export function isChat({ svc }: MarketModel): boolean {
  return svc.capabilities.workload === 'chat';
}

/** What an offer was certified for, in words; how a tool may be chosen stands in its contract, which the test network alone tells. */
export function certifiedFor(
  offer: Pick<MarketOffer, 'tools' | 'tool_contract' | 'structured_outputs'>,
): string {
  const { tools, tool_contract: contract, structured_outputs: structured } = offer;
  const features = [
    tools && (contract ? `tools (${contract.tool_choice.join(', ')})` : 'tools'),
    structured && 'structured outputs',
  ];
  return features.filter(Boolean).join(', ') || 'text';
}

/** The page of a model. Ids hold a slash and an @, which may stand in a path. */
export function modelPath(id: string): string {
  return `/models/${id.split('/').map(encodeURIComponent).join('/').replaceAll('%40', '@')}`;
}
