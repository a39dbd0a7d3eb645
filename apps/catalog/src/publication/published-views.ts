import { catalogKey } from '@svc/contracts';
import type { CATALOG_BUCKETS, CertifiedFeatures, ModelView, OfferView } from '@svc/contracts';
import type { Market, Markets } from './markets';
import { formerCapabilities, provenCapabilities } from './model-capabilities';
import type { CertifiedTerms, DefinedModel, FormerScope } from './publication.store';
import { outputWithin } from './served-limits';

/** The whole content of one bucket: values as JSON by key. */
export type BucketContent = ReadonlyMap<string, string>;

export type PublishedViews = Readonly<Record<keyof typeof CATALOG_BUCKETS, BucketContent>>;

/**
 * What everybody may know: every model, and the offers that are live.
 * @param former what offers that are certified no more were certified for last, for models that none else says anything of
 */
export function computeViews(
  models: readonly DefinedModel[],
  markets: Markets,
  former: ReadonlyMap<string, FormerScope>,
): PublishedViews {
  const contexts = new Map(models.map(({ id, contextLimit }) => [id, contextLimit]));
  const offers = new Map<string, string>();
  for (const terms of markets.live) {
    const { key, json } = offerEntry(terms, contexts.get(terms.model) ?? terms.contextLimit);
    offers.set(key, json);
  }
  const views = models.map((model) => modelView(model, markets.of(model.id), former.get(model.id)));
  return { models: new Map(views.map((view) => [catalogKey(view.id), JSON.stringify(view)])), offers };
}

/** The models that only certifications of offers long gone can tell of. */
export function modelsWithoutOffers(models: readonly DefinedModel[], markets: Markets): string[] {
  const isForsaken = ({ ablest, ablestAway }: Market) => !ablest && !ablestAway;
  return models.filter(({ id }) => isForsaken(markets.of(id))).map(({ id }) => id);
}

function modelView(model: DefinedModel, market: Market, former: FormerScope | undefined): ModelView {
  const { id, ownedBy, createdAt } = model;
  const { lowest } = market;
  const proof = market.ablest ?? market.ablestAway;
  return {
    id,
    created: Math.floor(createdAt.getTime() / 1_000),
    ownedBy,
    ...(proof ? provenCapabilities(model, proof) : formerCapabilities(model, former)),
    ...(lowest && {
      pricing: {
        inputPricePerMtok: lowest.inputPricePerMtok,
        outputPricePerMtok: lowest.outputPricePerMtok,
      },
    }),
  };
}

/** Terms never change, and there are many: what is published of them is written once. */
const ENTRIES = new WeakMap<CertifiedTerms, { modelContext: number; key: string; json: string }>();

function offerEntry(terms: CertifiedTerms, modelContext: number): { key: string; json: string } {
  const known = ENTRIES.get(terms);
  if (known?.modelContext === modelContext) return known;
  const json = JSON.stringify(offerView(terms, modelContext));
  const entry = { modelContext, key: catalogKey(terms.offerId), json };
  ENTRIES.set(terms, entry);
  return entry;
}

/** @param modelContext operators may have shrunk the model while the offer was away */
function offerView(terms: CertifiedTerms, modelContext: number): OfferView {
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
  };
}

function certifiedFeatures(
  certificationId: string,
  { capabilities, toolContract }: CertifiedTerms['scope'],
  contextLimit: number,
): CertifiedFeatures {
  return {
    certificationId,
    structuredOutputs: capabilities.structuredOutputs,
    maxOutputTokens: outputWithin(contextLimit, capabilities.maxOutputTokens),
    ...(toolContract && {
      tools: {
        choices: toolContract.tool_choice,
        parallelCalls: toolContract.parallel_tool_calls,
        strictSchemas: toolContract.strict_schemas,
      },
    }),
  };
}
