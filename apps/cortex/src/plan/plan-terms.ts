import type { CreatePlanRequest } from '@svc/contracts';
import { isCertifiedFor } from '../offers/certified-for';
import type { LiveOffer } from '../offers/live-offer';
import type { Demand } from '../ranking/request-price';

/** What a request asks of whoever is to serve it. */
export interface PlanTerms {
  readonly demand: Demand;
  /** The model that was named, alone; or those that the routing model may choose from. */
  readonly models: readonly string[];
  /** No offer that asks more than either is used; undefined for a named model. Base units per million tokens. */
  readonly ceiling: { readonly input: bigint; readonly output: bigint } | undefined;
  /** Whether an offer's context can hold the request, and its certificate covers what is asked. */
  readonly fits: (offer: LiveOffer) => boolean;
}

export function termsOf({
  model,
  routing,
  inputEstimate,
  inputLeast = inputEstimate,
  maxTokens,
  needs,
}: CreatePlanRequest): PlanTerms {
  // An upper bound would leave out whoever can serve: of a prompt that is too long all the same the provider says so.
  const context = inputLeast + maxTokens;
  return {
    demand: { inputTokens: inputEstimate, outputTokens: maxTokens },
    models: routing?.candidates ?? [model],
    ceiling: routing && {
      input: BigInt(routing.maxInputPricePerMtok),
      output: BigInt(routing.maxOutputPricePerMtok),
    },
    fits: ({ view }) => view.contextLimit >= context && isCertifiedFor(view.certified, maxTokens, needs),
  };
}

export function isAboveCeiling(offer: LiveOffer, ceiling: PlanTerms['ceiling']): boolean {
  if (!ceiling) return false;
  return offer.inputPricePerMtok > ceiling.input || offer.outputPricePerMtok > ceiling.output;
}
