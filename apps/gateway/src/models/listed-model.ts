import type { ModelView, ViewPricing } from '@svc/contracts';

/** The model that picks among others, with those that it picks from. */
export interface RoutingModel {
  id: string;
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  /** No offer that asks more than either is used. */
  ceiling: ViewPricing;
  /** At least one; all for chat, none of them a routing model. */
  candidates: readonly ModelView[];
}

/** A model that is listed here, and that clients may name. */
export type ListedModel = ModelView | RoutingModel;

export function isRouting(model: ListedModel): model is RoutingModel {
  return 'candidates' in model;
}
