import { readFile } from 'node:fs/promises';
import { ApplyCatalogueRequest } from '@svc/contracts';
import type {
  BundleDefinition,
  ManagedVendorDefinition,
  ModelDefinition,
  ProfileDefinition,
  RoutingModelDefinition,
} from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { compileValidator } from '@svc/validation';
import { VENDOR_PAYEE_INDEX, developmentAddress } from './development-accounts';

/** What an offer of the seed says besides who makes it, and where. */
export interface SeedOffer {
  bundle: string;
  profile: string;
  upstreamModel: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  concurrency: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
}

/**
 * A seed file: what may be sold, and what the market's first providers sell, whose addresses are known only once they are
 * up. Demo providers take the stalls in turn; a provider of an own model takes the terms of `upstream`.
 */
export interface CatalogueSeed {
  models: ModelDefinition[];
  bundles: BundleDefinition[];
  profiles: ProfileDefinition[];
  routingModels: RoutingModelDefinition[];
  /** What the demo vendor answers when no provider can. */
  managed: Omit<ManagedVendorDefinition, 'endpoint' | 'payee'>[];
  stalls: { offers: SeedOffer[] }[];
  upstream: {
    /** The most that such a model is certified for. */
    model: Omit<ModelDefinition, 'id'>;
    bundle: Omit<BundleDefinition, 'id' | 'model'>;
    offer: Omit<SeedOffer, 'bundle' | 'upstreamModel'>;
  };
}

/**
 * A provider that is up. With `upstreamModel` it serves that model of its own, which the market calls `model`; without them the seed's
 * models.
 */
export interface SeedProvider {
  name: string;
  endpoint: string;
  upstreamModel?: string;
  model?: string;
}

/** The market that a seed is for. */
interface SeededMarket {
  environment: Environment;
  /** The demo vendor's base URL; without it no managed vendor is defined. */
  vendorUrl?: string;
}

/** @throws Error when the file is missing or not JSON; its path stands in the message */
export async function readCatalogueSeed(file: string): Promise<CatalogueSeed> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as CatalogueSeed;
  } catch (error) {
    throw new Error(`SEED_FILE ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws Error when the text is not a JSON array of providers with a name and an endpoint, or one names only one of its models */
export function parseSeedProviders(text: string): SeedProvider[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('SEED_PROVIDERS: it must be JSON');
  }
  // The name becomes a folder's.
  const isProvider = (entry: unknown): entry is SeedProvider => {
    const { name, endpoint } = (entry ?? {}) as Partial<SeedProvider>;
    return typeof name === 'string' && /^[\w-]{1,80}$/.test(name) && typeof endpoint === 'string';
  };
  if (!Array.isArray(parsed) || !parsed.every(isProvider)) {
    throw new Error('SEED_PROVIDERS: it must be an array of providers, each with a name and an endpoint');
  }
  if (parsed.some(({ upstreamModel, model }) => (upstreamModel === undefined) !== (model === undefined))) {
    throw new Error('SEED_PROVIDERS: upstreamModel and model are given together, or neither is');
  }
  return parsed;
}

/**
 * What may be sold in this market: those of the seed's models that its environment lists, and those that providers bring.
 * @throws Error with the path and the reason when the result is not a catalogue the contract takes
 */
export function buildCatalogue(
  seed: CatalogueSeed,
  providers: readonly SeedProvider[],
  { environment, vendorUrl }: SeededMarket,
): ApplyCatalogueRequest {
  const catalogue: ApplyCatalogueRequest = {
    models: seed.models.filter(({ capabilities }) => environment.workloads.includes(capabilities.workload)),
    bundles: [...seed.bundles],
    profiles: [...seed.profiles],
    routingModels: seed.routingModels.filter(({ id }) => id === environment.routingModel),
    managedVendors: vendorUrl === undefined ? [] : demoVendors(seed, vendorUrl),
  };
  for (const { upstreamModel, model } of providers) {
    if (upstreamModel === undefined || model === undefined) continue;
    if (catalogue.models.some(({ id }) => id === model)) continue;
    catalogue.models.push({ ...seed.upstream.model, id: model });
    catalogue.bundles.push({ ...seed.upstream.bundle, id: upstreamBundleId(upstreamModel), model });
  }
  const result = compileValidator(ApplyCatalogueRequest)(catalogue);
  if (!result.ok) throw new Error(`the seed does not fit: ${result.problem.path}: ${result.problem.message}`);
  return result.value;
}

function demoVendors({ managed }: CatalogueSeed, endpoint: string): ManagedVendorDefinition[] {
  const payee = developmentAddress(VENDOR_PAYEE_INDEX);
  return managed.map((vendor) => ({ ...vendor, endpoint, payee }));
}

/** An id of lower-case letters, digits and dashes. */
export function upstreamBundleId(upstreamModel: string): string {
  const plain = upstreamModel
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${plain.slice(0, 36) || 'unnamed'}-upstream`;
}
