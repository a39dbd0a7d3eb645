import { MAX_PRICE_PER_MTOK } from '@svc/contracts';
import type { SubmitOfferRequest } from '@svc/contracts';
import { invalidRequest, modelNotFound, notFound } from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import { bundleIdOf, profileIdOf } from '@svc/supply-messages';
import type { BundleContent, ProfileContent } from '@svc/supply-messages';
import { requireEndpointUrl } from '../endpoint/endpoint-url';
import { aboveCeiling, tooMuch } from '../offer-state/price-ceiling';
import type { PriceCeilings } from '../offer-state/price-ceiling';
import { requireActing, requireRegistered } from '../provider/provider-act';
import type { ActingProvider } from '../provider/provider-act';
import { MAX_OFFER_SECONDS } from './supply-limits';

/** What is stored of all that an offer refers to. */
export interface OfferContext {
  provider: ActingProvider | undefined;
  model: (PriceCeilings & { contextLimit: number; workload: string }) | undefined;
  bundle: BundleContent | undefined;
  profile: ProfileContent | undefined;
}

/**
 * Checks what an offer says of itself and of what it refers to. The first thing that does not fit is what the provider hears of.
 * @param request of the right shape, and signed
 * @throws SvcError invalid_request with `param`: 404 `provider`; 403 `provider`; 409 `nonce`; then 400 for the terms
 */
export function checkOffer(context: OfferContext, request: SubmitOfferRequest, now: Date): void {
  requireActing(requireRegistered(context.provider, request.provider), request.nonce);
  checkExpiry(request.expiresAt, now);
  checkPrices(request);
  const model = checkModel(context, request);
  const tooDear = aboveCeiling(request, model);
  if (tooDear) refuse(tooDear.part, tooDear.message);
  checkBundle(context, request);
  const profileContext = checkProfile(context, request);
  checkContext(request.contextLimit, profileContext, model.contextLimit);
  requireEndpointUrl(request.endpoint);
}

function checkExpiry(expiresAt: number, now: Date): void {
  const seconds = expiresAt - now.getTime() / 1_000;
  if (seconds <= 0)
    refuse('expiresAt', 'The offer is over already; sign it with an end that is yet to come.');
  if (seconds > MAX_OFFER_SECONDS) {
    refuse(
      'expiresAt',
      `An offer may be signed for ${MAX_OFFER_SECONDS} seconds at most; sign it with an earlier end.`,
    );
  }
}

function checkPrices(request: SubmitOfferRequest): void {
  for (const part of ['inputPricePerMtok', 'outputPricePerMtok'] as const) {
    if (parseBaseUnits(request[part]) <= MAX_PRICE_PER_MTOK) continue;
    refuse(part, tooMuch(part, request[part], `any offer may ask at most ${MAX_PRICE_PER_MTOK}`));
  }
  if (request.inputPricePerMtok !== '0' || request.outputPricePerMtok !== '0') return;
  // A request that can cost nothing leaves nothing to hold, which is how billing knows of it.
  refuse(
    'outputPricePerMtok',
    'The offer asks nothing for input and for output; one of the prices must be above 0.',
  );
}

function checkModel({ model }: OfferContext, request: SubmitOfferRequest) {
  if (!model) throw notFound(modelNotFound(request.model).message, 'model');
  if (model.workload === 'chat') return model;
  return refuse('model', `Offers of ${model.workload} models are not taken, only of chat models.`);
}

function checkBundle({ bundle }: OfferContext, request: SubmitOfferRequest): void {
  const { bundleDefinition: definition } = request;
  if (definition && definition.id !== request.bundle) {
    refuse(
      'bundleDefinition.id',
      `The definition is one of the bundle "${definition.id}", but the offer names "${request.bundle}".`,
    );
  }
  if (!bundle && !definition) {
    refuse(
      'bundle',
      `The bundle "${request.bundle}" is not defined here; its definition has to come with the offer.`,
    );
  }
  if (bundle && definition && bundleIdOf(bundle) !== bundleIdOf(definition)) {
    refuse(
      'bundleDefinition',
      `The bundle "${request.bundle}" is defined otherwise here; another build has another id.`,
    );
  }
  if (!bundle && definition && definition.id !== bundleIdOf(definition)) {
    refuse(
      'bundleDefinition.id',
      `The bundle's id "${definition.id}" does not follow from its definition, which gives "${bundleIdOf(definition)}".`,
    );
  }
  const model = bundle?.model ?? definition?.model;
  if (model === request.model) return;
  refuse(
    'bundle',
    `The bundle "${request.bundle}" is one of the model "${model}", not of "${request.model}".`,
  );
}

function checkProfile({ profile }: OfferContext, request: SubmitOfferRequest): number {
  const { profileDefinition: definition } = request;
  if (definition && definition.id !== request.profile) {
    refuse(
      'profileDefinition.id',
      `The definition is one of the profile "${definition.id}", but the offer names "${request.profile}".`,
    );
  }
  if (profile && definition && profileIdOf(profile) !== profileIdOf(definition)) {
    refuse(
      'profileDefinition',
      `The profile "${request.profile}" is defined otherwise here; another way to run has another id.`,
    );
  }
  if (profile) return profile.contextLimit;
  if (!definition) {
    return refuse(
      'profile',
      `The profile "${request.profile}" is not defined here; its definition has to come with the offer.`,
    );
  }
  const id = profileIdOf(definition);
  if (definition.id === id) return definition.contextLimit;
  return refuse(
    'profileDefinition.id',
    `The profile's id "${definition.id}" does not follow from its definition, which gives "${id}".`,
  );
}

function checkContext(contextLimit: number, ofProfile: number, ofModel: number): void {
  if (contextLimit > ofProfile) {
    refuse('contextLimit', `A context of ${contextLimit} tokens is above the ${ofProfile} of the profile.`);
  }
  if (contextLimit > ofModel) {
    refuse('contextLimit', `A context of ${contextLimit} tokens is above the ${ofModel} of the model.`);
  }
}

function refuse(param: string, message: string): never {
  throw invalidRequest(message, param);
}
