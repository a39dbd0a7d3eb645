import type {
  ApplyCatalogueRequest,
  ModelDefinition,
  OfferDefinition,
  ProfileDefinition,
} from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import type { Catalogue } from './catalogue';

/** The highest price of an offer, base units per million tokens: a million USDC. */
export const MAX_PRICE_PER_MTOK = 1_000_000_000_000n;

/**
 * Checks what the parts of a request say of each other and of what is there already.
 * @param catalogue as it would be after the request
 * @throws SvcError `invalid_request` with the path of the field that does not fit
 */
export function checkCatalogue(catalogue: Catalogue, request: ApplyCatalogueRequest): void {
  for (const [index, bundle] of request.bundles.entries()) {
    if (!catalogue.models.has(bundle.model)) {
      refuse(
        `bundles[${index}].model`,
        `the bundle "${bundle.id}" names the model "${bundle.model}", which is not defined`,
      );
    }
  }
  for (const [index, offer] of request.offers.entries()) checkOffer(catalogue, offer, `offers[${index}]`);
  if (request.models.length > 0) checkStandingOffers(catalogue, request.models);
}

function checkOffer(catalogue: Catalogue, offer: OfferDefinition, path: string): void {
  const named = (part: 'provider' | 'bundle' | 'profile') =>
    refuse(
      `${path}.${part}`,
      `the offer "${offer.id}" names the ${part} "${offer[part]}", which is not defined`,
    );
  if (!catalogue.providers.has(offer.provider)) named('provider');
  if (!catalogue.bundles.has(offer.bundle)) named('bundle');
  if (!catalogue.profiles.has(offer.profile)) named('profile');
  for (const part of ['inputPricePerMtok', 'outputPricePerMtok'] as const) {
    if (parseBaseUnits(offer[part]) > MAX_PRICE_PER_MTOK) {
      refuse(
        `${path}.${part}`,
        `the offer "${offer.id}" asks ${offer[part]}; at most ${MAX_PRICE_PER_MTOK} is allowed`,
      );
    }
  }
  if (offer.inputPricePerMtok === '0' && offer.outputPricePerMtok === '0') {
    // A request that can cost nothing leaves nothing to hold, which is how billing knows of it.
    refuse(`${path}.outputPricePerMtok`, `the offer "${offer.id}" asks nothing for input and for output`);
  }
  const excess = contextExcess(catalogue, offer);
  if (excess) {
    const { profile, model } = excess;
    refuse(
      `${path}.profile`,
      `the profile "${profile.id}" of the offer "${offer.id}" has a context of ${profile.contextLimit} tokens, above the ${model.contextLimit} of the model "${model.id}"`,
    );
  }
}

/** A model whose context shrinks must not leave live offers behind that promise more. */
function checkStandingOffers(catalogue: Catalogue, models: ModelDefinition[]): void {
  const indexOf = new Map(models.map((model, index) => [model.id, index]));
  for (const offer of catalogue.offers.values()) {
    const excess = contextExcess(catalogue, offer);
    const index = indexOf.get(excess?.model.id ?? '');
    if (!excess || index === undefined) continue;
    const { model, profile } = excess;
    refuse(
      `models[${index}].contextLimit`,
      `the model "${model.id}" cannot have a context of ${model.contextLimit} tokens while the offer "${offer.id}" is live with ${profile.contextLimit}`,
    );
  }
}

/** The profile and the model of a live offer that promises more context than the model has. */
function contextExcess(
  catalogue: Catalogue,
  offer: OfferDefinition,
): { profile: ProfileDefinition; model: ModelDefinition } | undefined {
  const profile = catalogue.profiles.get(offer.profile);
  const model = catalogue.models.get(catalogue.bundles.get(offer.bundle)?.model ?? '');
  if (!offer.active || !profile || !model) return undefined;
  return profile.contextLimit > model.contextLimit ? { profile, model } : undefined;
}

function refuse(path: string, reason: string): never {
  throw invalidRequest(`${path}: ${reason}`, path);
}
