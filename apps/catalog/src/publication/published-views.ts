import { catalogKey } from '@svc/contracts';
import type { CATALOG_BUCKETS, ModelView, OfferDefinition, OfferView } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { StoredCatalogue } from '../database/catalogue.store';

/** The whole content of one bucket: values as JSON by key. */
export type BucketContent = ReadonlyMap<string, string>;

export type PublishedViews = Readonly<Record<keyof typeof CATALOG_BUCKETS, BucketContent>>;

/** What everybody may know of a catalogue: every model, and the offers that are live. */
export function computeViews(catalogue: StoredCatalogue): PublishedViews {
  const live = [...catalogue.offers.values()].filter((offer) => offer.active);
  const lowest = new Map<string, OfferDefinition>();
  const offers = new Map<string, string>();
  for (const offer of live) {
    const view = offerView(catalogue, offer);
    if (!view) continue;
    offers.set(catalogKey(offer.id), JSON.stringify(view));
    const best = lowest.get(view.model);
    if (!best || isLower(offer, best)) lowest.set(view.model, offer);
  }
  const models = new Map<string, string>();
  for (const id of catalogue.models.keys()) {
    const view = modelView(catalogue, id, lowest.get(id));
    if (view) models.set(catalogKey(id), JSON.stringify(view));
  }
  return { models, offers };
}

/** The lowest offer is the one with the lower input price; where that is the same, the lower output price. */
function isLower(a: OfferDefinition, b: OfferDefinition): boolean {
  const inputs = [parseBaseUnits(a.inputPricePerMtok), parseBaseUnits(b.inputPricePerMtok)] as const;
  if (inputs[0] !== inputs[1]) return inputs[0] < inputs[1];
  return parseBaseUnits(a.outputPricePerMtok) < parseBaseUnits(b.outputPricePerMtok);
}

function modelView(
  catalogue: StoredCatalogue,
  id: string,
  lowest: OfferDefinition | undefined,
): ModelView | undefined {
  const model = catalogue.models.get(id);
  if (!model) return undefined;
  const { ownedBy, contextLimit, capabilities, toolContract } = model;
  return {
    id,
    created: Math.floor((catalogue.modelCreatedAt.get(id)?.getTime() ?? 0) / 1_000),
    ownedBy,
    contextLimit,
    capabilities,
    ...(toolContract && { toolContract }),
    ...(lowest && {
      pricing: {
        inputPricePerMtok: lowest.inputPricePerMtok,
        outputPricePerMtok: lowest.outputPricePerMtok,
      },
    }),
  };
}

/** @returns undefined when what the offer names is not there; the tables' foreign keys do not let that be */
function offerView(catalogue: StoredCatalogue, offer: OfferDefinition): OfferView | undefined {
  const bundle = catalogue.bundles.get(offer.bundle);
  const profile = catalogue.profiles.get(offer.profile);
  if (!bundle || !profile) return undefined;
  return {
    offerId: offer.id,
    model: bundle.model,
    provider: offer.provider,
    bundleId: bundle.id,
    profileId: profile.id,
    endpoint: offer.endpoint,
    upstreamModel: offer.upstreamModel,
    contextLimit: profile.contextLimit,
    inputPricePerMtok: offer.inputPricePerMtok,
    outputPricePerMtok: offer.outputPricePerMtok,
    concurrency: offer.concurrency,
    firstTokenTimeoutMs: offer.firstTokenTimeoutMs,
    chunkTimeoutMs: offer.chunkTimeoutMs,
  };
}
