import type { ChatModel } from './chat-models';

/** What a first request is best sent to: the cheapest with tools that somebody serves now. */
export function suggestedModel(models: readonly ChatModel[]): ChatModel | undefined {
  const served = models.filter(({ svc }) => svc.pricing !== undefined && !svc.cortex);
  const priceOf = ({ svc }: ChatModel) => BigInt(svc.pricing?.output_price_per_mtok ?? 0);
  const cheapest = served.sort((a, b) => (priceOf(a) < priceOf(b) ? -1 : 1));
  const withTools = cheapest.find(({ svc }) => svc.capabilities.tools);
  // In production a managed vendor answers where no provider can.
  return withTools ?? cheapest[0] ?? models.find(({ svc }) => svc.fallback_pricing) ?? models[0];
}
