import { catalogKey } from '@svc/contracts';
import type {
  CATALOG_BUCKETS,
  CertifiedFeatures,
  ModelView,
  OfferView,
  ParallelBeside,
} from '@svc/contracts';
import { withOneMore } from './markets';
import type { LiveOffer, Market, Markets } from './markets';
import { highestPricing, managedOfferView, routingModelView } from './managed-offers';
import { formerCapabilities, managedCapabilities, provenCapabilities } from './model-capabilities';
import type { ShownCapabilities } from './model-capabilities';
import type {
  CertifiedTerms,
  DefinedModel,
  DefinedRoutingModel,
  DefinedVendor,
  FormerScope,
} from './publication.store';
import { outputWithin } from './served-limits';

/** The whole content of one bucket: values as JSON by key. */
export type BucketContent = ReadonlyMap<string, string>;

type PublishedViews = Readonly<Record<keyof typeof CATALOG_BUCKETS, BucketContent>>;

/** What operators define. */
export interface Definitions {
  models: readonly DefinedModel[];
  routingModels: readonly DefinedRoutingModel[];
  managedVendors: readonly DefinedVendor[];
  /** Whether managed vendors answer for whoever names their model. */
  managedAnswerNamed: boolean;
}

/**
 * What everybody may know: every model, and the offers that are live, managed vendors among them.
 * @param former what offers that are certified no more were certified for last, for models that none else says anything of
 */
export function computeViews(
  definitions: Definitions,
  markets: Markets,
  former: ReadonlyMap<string, FormerScope>,
): PublishedViews {
  const models = new Map(definitions.models.map((model) => [model.id, model]));
  const offers = new Map<string, string>();
  for (const live of markets.live) {
    const { model, contextLimit } = live.terms;
    const { key, json } = offerEntry(live, models.get(model)?.contextLimit ?? contextLimit);
    offers.set(key, json);
  }
  const vendorsOf = new Map<string, DefinedVendor[]>();
  for (const vendor of definitions.managedVendors) {
    const model = models.get(vendor.model);
    // Defined after the models were read: the next publication has both.
    if (!model) continue;
    const view = managedOfferView(vendor, model);
    offers.set(catalogKey(view.offerId), JSON.stringify(view));
    vendorsOf.set(model.id, [...(vendorsOf.get(model.id) ?? []), vendor]);
  }
  const views = [
    ...definitions.routingModels.map(routingModelView),
    ...definitions.models.map((model) => {
      const vendors = vendorsOf.get(model.id) ?? [];
      const shown = { former: former.get(model.id), vendors, isNamed: definitions.managedAnswerNamed };
      return modelView(model, markets.of(model.id), shown);
    }),
  ];
  return { models: new Map(views.map((view) => [catalogKey(view.id), JSON.stringify(view)])), offers };
}

/** The models that only certifications of offers long gone can tell of. */
export function modelsWithoutOffers(models: readonly DefinedModel[], markets: Markets): string[] {
  const isForsaken = ({ ablest, ablestAway }: Market) => !ablest && !ablestAway;
  return models.filter(({ id }) => isForsaken(markets.of(id))).map(({ id }) => id);
}

/** What is known of a model beside its market. */
interface BesideMarket {
  former: FormerScope | undefined;
  vendors: readonly DefinedVendor[];
  /** Whether the vendors answer for whoever names the model. */
  isNamed: boolean;
}

function modelView(model: DefinedModel, market: Market, beside: BesideMarket): ModelView {
  const { id, ownedBy, createdAt } = model;
  const { lowest } = market;
  const managedPricing = highestPricing(beside.vendors);
  const shown = shownCapabilities(model, market, beside);
  const parallelBeside = parallelBesideShown(shown, market, beside);
  return {
    id,
    created: Math.floor(createdAt.getTime() / 1_000),
    ownedBy,
    ...shown,
    ...(parallelBeside && { parallelCalls: true, parallelBeside }),
    ...(lowest && {
      pricing: {
        inputPricePerMtok: lowest.inputPricePerMtok,
        outputPricePerMtok: lowest.outputPricePerMtok,
      },
    }),
    ...(managedPricing && { managedPricing }),
  };
}

/**
 * What those can do that have calls in parallel, where what is shown has none. A vendor with tools takes them, as its offer says.
 * @returns undefined where nobody has them, or what is shown does
 */
function parallelBesideShown(
  { capabilities, toolContract }: ShownCapabilities,
  { parallel }: Market,
  { vendors, isNamed }: BesideMarket,
): ParallelBeside | undefined {
  if (!capabilities.tools || toolContract?.parallel_tool_calls) return undefined;
  let beside = parallel;
  for (const { tools, structuredOutputs } of isNamed ? vendors : []) {
    if (tools) beside = withOneMore(beside, { strictSchemas: structuredOutputs, structuredOutputs });
  }
  return beside;
}

function shownCapabilities(
  model: DefinedModel,
  { ablest, ablestAway }: Market,
  { former, vendors, isNamed }: BesideMarket,
): ShownCapabilities {
  const proof = ablest ?? ablestAway;
  if (proof) return provenCapabilities(model, proof);
  if (!former && isNamed && vendors.length > 0) return managedCapabilities(model, vendors);
  return formerCapabilities(model, former);
}

/** Terms never change, and there are many: what is published of them is written once. */
const ENTRIES = new WeakMap<CertifiedTerms, OfferEntry>();

interface OfferEntry {
  modelContext: number;
  endsAtMs: number;
  key: string;
  json: string;
}

function offerEntry({ terms, endsAt }: LiveOffer, modelContext: number): OfferEntry {
  const endsAtMs = endsAt.getTime();
  const known = ENTRIES.get(terms);
  if (known?.modelContext === modelContext && known.endsAtMs === endsAtMs) return known;
  const json = JSON.stringify(offerView(terms, modelContext, endsAtMs));
  const entry = { modelContext, endsAtMs, key: catalogKey(terms.offerId), json };
  ENTRIES.set(terms, entry);
  return entry;
}

/** @param modelContext operators may have shrunk the model while the offer was away */
function offerView(terms: CertifiedTerms, modelContext: number, endsAtMs: number): OfferView {
  const { scope, certificationId, credential } = terms;
  const contextLimit = Math.min(terms.contextLimit, modelContext);
  return {
    offerId: terms.offerId,
    version: terms.version,
    model: terms.model,
    provider: terms.provider,
    bundleId: terms.bundleId,
    profileId: terms.profileId,
    endpoint: terms.endpoint,
    upstreamModel: terms.upstreamModel,
    ...(credential !== null && { credential }),
    certified: certifiedFeatures(certificationId, scope, contextLimit),
    contextLimit,
    inputPricePerMtok: terms.inputPricePerMtok,
    outputPricePerMtok: terms.outputPricePerMtok,
    concurrency: Math.min(terms.concurrency, scope.concurrency),
    firstTokenTimeoutMs: terms.firstTokenTimeoutMs,
    chunkTimeoutMs: terms.chunkTimeoutMs,
    endsAtMs,
  };
}

function certifiedFeatures(
  certificationId: string,
  { capabilities, toolContract, reasoningField }: CertifiedTerms['scope'],
  contextLimit: number,
): CertifiedFeatures {
  return {
    certificationId,
    structuredOutputs: capabilities.structuredOutputs,
    maxOutputTokens: outputWithin(contextLimit, capabilities.maxOutputTokens),
    ...(capabilities.reasoning && { reasoning: true }),
    ...(reasoningField && { reasoningField }),
    ...(toolContract && {
      tools: {
        choices: toolContract.tool_choice,
        parallelCalls: toolContract.parallel_tool_calls,
        strictSchemas: toolContract.strict_schemas,
      },
    }),
  };
}
