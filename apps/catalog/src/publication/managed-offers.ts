import { managedOfferId } from '@svc/contracts';
import type { OfferView, RoutingModelView, ViewPricing } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { ManagedVendor } from '../definitions/definitions';
import type { DefinedModel, DefinedRoutingModel, DefinedVendor } from './publication.store';
import { outputWithin } from './served-limits';

/** In the place of a certification: an operator's word. */
const MANAGED = 'managed';
const TOOL_CHOICES = ['auto', 'none', 'required', 'function'];

/** A managed vendor among the offers, as its definition says, within its model's context. */
export function managedOfferView(vendor: DefinedVendor, model: DefinedModel): OfferView {
  const { mapping, credential, outputLimitField, reasoningField, tools, structuredOutputs } = vendor;
  const contextLimit = Math.min(vendor.contextLimit, model.contextLimit);
  return {
    offerId: managedOfferId(mapping),
    mapping,
    version: vendor.version,
    model: vendor.model,
    provider: vendor.payee,
    bundleId: MANAGED,
    profileId: mapping,
    endpoint: vendor.endpoint,
    upstreamModel: vendor.upstreamModel,
    ...(outputLimitField !== 'max_tokens' && { outputLimitField }),
    ...(credential !== undefined && { credential }),
    certified: {
      certificationId: MANAGED,
      structuredOutputs,
      maxOutputTokens: outputWithin(contextLimit, vendor.maxOutputTokens),
      ...(model.capabilities.reasoning && { reasoning: true }),
      ...(reasoningField !== 'none' && { reasoningField }),
      ...(tools && {
        tools: { choices: TOOL_CHOICES, parallelCalls: true, strictSchemas: structuredOutputs },
      }),
    },
    contextLimit,
    inputPricePerMtok: vendor.inputPricePerMtok,
    outputPricePerMtok: vendor.outputPricePerMtok,
    concurrency: vendor.concurrency,
    firstTokenTimeoutMs: vendor.firstTokenTimeoutMs,
    chunkTimeoutMs: vendor.chunkTimeoutMs,
  };
}

export function routingModelView({ createdAt, ...definition }: DefinedRoutingModel): RoutingModelView {
  return { ...definition, created: Math.floor(createdAt.getTime() / 1_000) };
}

/**
 * What managed vendors ask at most, for input and for output: published, so that whichever of them answers asks no more.
 * @returns undefined without any
 */
export function highestPricing(vendors: readonly ManagedVendor[]): ViewPricing | undefined {
  if (vendors.length === 0) return undefined;
  const highest = (prices: string[]) =>
    prices
      .map(parseBaseUnits)
      .reduce((most, price) => (price > most ? price : most))
      .toString();
  return {
    inputPricePerMtok: highest(vendors.map(({ inputPricePerMtok }) => inputPricePerMtok)),
    outputPricePerMtok: highest(vendors.map(({ outputPricePerMtok }) => outputPricePerMtok)),
  };
}
