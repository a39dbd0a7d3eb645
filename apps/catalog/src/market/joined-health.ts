import type { ModelMarket } from '@svc/contracts';
import type { HealthFigures } from '../watch/health/offer-estimate';

const FIGURES = ['errorRate', 'invalidRate', 'firstTokenMs', 'tokensPerSecond'] as const;

/** What one of many requests met with: each offer's figures, weighed by how much it was asked of late. */
export function joinedHealth(offers: readonly HealthFigures[]): ModelMarket['health'] {
  const joined: ModelMarket['health'] = {};
  for (const figure of FIGURES) {
    let sum = 0;
    let weight = 0;
    for (const offer of offers) {
      const value = offer[figure];
      if (value === undefined) continue;
      sum += value * offer.weight;
      weight += offer.weight;
    }
    if (weight > 0) joined[figure] = sum / weight;
  }
  return joined;
}
