import { readFile } from 'node:fs/promises';
import { ApplyCatalogueRequest } from '@svc/contracts';
import type {
  BundleDefinition,
  ModelDefinition,
  OfferDefinition,
  ProfileDefinition,
  ProviderDefinition,
} from '@svc/contracts';
import { compileValidator } from '@svc/validation';
import { developmentAddress, FIRST_PROVIDER_INDEX } from './development-accounts';

/** What an offer says besides who makes it and where. */
type OfferTerms = Omit<OfferDefinition, 'id' | 'provider' | 'endpoint' | 'active'>;

/**
 * A seed file: a catalogue without its providers, whose addresses are known only once they are up.
 * Demo providers take the stalls in turn; a provider of an own model takes the terms of `upstream`.
 */
export interface CatalogueSeed {
  models: ModelDefinition[];
  bundles: BundleDefinition[];
  profiles: ProfileDefinition[];
  stalls: { offers: OfferTerms[] }[];
  upstream: {
    model: Omit<ModelDefinition, 'id'>;
    bundle: Omit<BundleDefinition, 'id' | 'model'>;
    offer: Omit<OfferTerms, 'bundle' | 'upstreamModel'>;
  };
}

/** A provider that is up. With `upstreamModel` it serves that model of its own, without it the seed's models. */
export interface SeedProvider {
  name: string;
  endpoint: string;
  wallet?: string;
  upstreamModel?: string;
  /** The market's id for `upstreamModel`; made from its name unless told. */
  model?: string;
}

/** @throws Error when the file is missing or not JSON; its path stands in the message */
export async function readCatalogueSeed(file: string): Promise<CatalogueSeed> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as CatalogueSeed;
  } catch (error) {
    throw new Error(`SEED_FILE ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws Error when the text is not a JSON array of providers with a name and an endpoint */
export function parseSeedProviders(text: string): SeedProvider[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('SEED_PROVIDERS: it must be JSON');
  }
  const isProvider = (entry: unknown): entry is SeedProvider => {
    const { name, endpoint } = (entry ?? {}) as Partial<SeedProvider>;
    return typeof name === 'string' && typeof endpoint === 'string';
  };
  if (!Array.isArray(parsed) || !parsed.every(isProvider)) {
    throw new Error('SEED_PROVIDERS: it must be an array of providers, each with a name and an endpoint');
  }
  return parsed;
}

/**
 * The catalogue of this market: the seed's models, and an offer of every provider that is up.
 * @throws Error with the path and the reason when the result is not a catalogue the contract takes
 */
export function buildCatalogue(seed: CatalogueSeed, providers: SeedProvider[]): ApplyCatalogueRequest {
  const catalogue: ApplyCatalogueRequest = {
    models: [...seed.models],
    bundles: [...seed.bundles],
    profiles: [...seed.profiles],
    providers: [],
    offers: [],
  };
  let demoProviders = 0;
  for (const [position, entry] of providers.entries()) {
    const provider = definitionOf(entry, position);
    catalogue.providers.push(provider);
    if (entry.upstreamModel === undefined) {
      const stall = seed.stalls[demoProviders++ % seed.stalls.length];
      for (const terms of stall?.offers ?? []) catalogue.offers.push(offerOf(terms, entry, provider));
    } else {
      addUpstream(catalogue, seed.upstream, { ...entry, upstreamModel: entry.upstreamModel }, provider);
    }
  }
  return checked(catalogue);
}

/**
 * The new catalogue together with what the last run left in the market and this one no longer names: its offers go
 * inactive, so that nobody is sent to a provider that is gone.
 */
export function retireMissing(
  catalogue: ApplyCatalogueRequest,
  last: ApplyCatalogueRequest | undefined,
): ApplyCatalogueRequest {
  if (!last) return catalogue;
  const byId = (entry: { id: string }) => entry.id;
  const retired = last.offers.map((offer) => ({ ...offer, active: false }));
  return {
    models: union(catalogue.models, last.models, byId),
    bundles: union(catalogue.bundles, last.bundles, byId),
    profiles: union(catalogue.profiles, last.profiles, byId),
    providers: union(catalogue.providers, last.providers, ({ wallet }) => wallet),
    offers: union(catalogue.offers, retired, byId),
  };
}

/** All of `current`, then what only `last` has. */
function union<T>(current: T[], last: T[], keyOf: (entry: T) => string): T[] {
  const keys = new Set(current.map(keyOf));
  return [...current, ...last.filter((entry) => !keys.has(keyOf(entry)))];
}

function definitionOf(entry: SeedProvider, position: number): ProviderDefinition {
  const wallet = entry.wallet?.toLowerCase() ?? developmentAddress(FIRST_PROVIDER_INDEX + position);
  return { wallet, name: entry.name };
}

function offerOf(terms: OfferTerms, entry: SeedProvider, provider: ProviderDefinition): OfferDefinition {
  return {
    ...terms,
    id: `${idPart(entry.name)}-${terms.bundle}`,
    provider: provider.wallet,
    endpoint: entry.endpoint,
    active: true,
  };
}

function addUpstream(
  catalogue: ApplyCatalogueRequest,
  terms: CatalogueSeed['upstream'],
  entry: SeedProvider & { upstreamModel: string },
  provider: ProviderDefinition,
): void {
  const name = slug(entry.upstreamModel);
  const model = entry.model ?? `svc/${name}@1`;
  const bundle = `${idPart(entry.upstreamModel)}-upstream`;
  if (!catalogue.models.some(({ id }) => id === model)) {
    catalogue.models.push({ ...terms.model, id: model });
    catalogue.bundles.push({ ...terms.bundle, id: bundle, model });
  }
  const { upstreamModel } = entry;
  catalogue.offers.push(offerOf({ ...terms.offer, bundle, upstreamModel }, entry, provider));
}

/** Lower-case letters, digits, dots and dashes, as in the name part of a model id. */
function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, 48) || 'unnamed';
}

/** As {@link slug}, for a part of an id, which takes no dots. */
function idPart(name: string): string {
  return slug(name).replaceAll('.', '-').slice(0, 36);
}

function checked(catalogue: ApplyCatalogueRequest): ApplyCatalogueRequest {
  const result = compileValidator(ApplyCatalogueRequest)(catalogue);
  if (!result.ok) throw new Error(`the seed does not fit: ${result.problem.path}: ${result.problem.message}`);
  return result.value;
}
