import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ApplyCatalogueRequest } from '@svc/contracts';
import { upstreamBundleId } from './catalogue-seed';
import type { CatalogueSeed, SeedOffer, SeedProvider } from './catalogue-seed';
import { developmentAddress, developmentKey, FIRST_PROVIDER_INDEX } from './development-accounts';

/** A provider of the seed, as its owner would have it: a file and a key for `svc-provider`. */
export interface ProviderFileEntry {
  name: string;
  /** In lower case. */
  wallet: string;
  /** Its `svc-provider.yaml`. */
  file: string;
}

/** What all providers' files say of the market. */
interface MarketPlace {
  /** The gateway, as providers reach it. */
  url: string;
  chainId: number;
  settlement: string;
  /** A node of the chain, as providers reach it. */
  chainRpcUrl: string;
}

/**
 * Writes a folder for each provider, with its file and its key: well-known development wallets, one each.
 * @param folder gets a folder for each, by its name
 */
export async function writeProviderFiles(
  folder: string,
  seed: CatalogueSeed,
  catalogue: ApplyCatalogueRequest,
  providers: readonly SeedProvider[],
  market: MarketPlace,
): Promise<ProviderFileEntry[]> {
  const entries: ProviderFileEntry[] = [];
  let stalls = 0;
  for (const [position, provider] of providers.entries()) {
    const offers =
      provider.upstreamModel === undefined
        ? (seed.stalls[stalls++ % seed.stalls.length]?.offers ?? [])
        : [upstreamOffer(seed, provider.upstreamModel)];
    const own = join(folder, provider.name);
    const account = FIRST_PROVIDER_INDEX + position;
    await mkdir(own, { recursive: true });
    await write(join(own, 'svc-provider.key'), `${developmentKey(account)}\n`);
    const file = join(own, 'svc-provider.yaml');
    const document = providerDocument(
      provider,
      market,
      offers.map((offer) => offerSection(offer, catalogue, provider)),
    );
    await write(file, stringify(document));
    entries.push({ name: provider.name, wallet: developmentAddress(account), file });
  }
  return entries;
}

function providerDocument(provider: SeedProvider, market: MarketPlace, offers: object[]): object {
  return {
    market: market.url,
    provider: { name: provider.name },
    wallet: { key_file: 'svc-provider.key' },
    chain: { id: market.chainId, settlement: market.settlement, rpc_url: market.chainRpcUrl },
    offers,
  };
}

function offerSection(
  offer: SeedOffer,
  catalogue: ApplyCatalogueRequest,
  { endpoint }: SeedProvider,
): object {
  const bundle = catalogue.bundles.find(({ id }) => id === offer.bundle);
  const profile = catalogue.profiles.find(({ id }) => id === offer.profile);
  if (!bundle || !profile)
    throw new Error(`the seed offers ${offer.bundle}:${offer.profile}, and defines no such`);
  return {
    name: bundle.id,
    model: bundle.model,
    bundle: { id: bundle.id },
    profile: { id: profile.id },
    endpoint,
    upstream_model: offer.upstreamModel,
    input_price_per_mtok: offer.inputPricePerMtok,
    output_price_per_mtok: offer.outputPricePerMtok,
    concurrency: offer.concurrency,
    context_limit: profile.contextLimit,
    first_token_timeout_ms: offer.firstTokenTimeoutMs,
    chunk_timeout_ms: offer.chunkTimeoutMs,
  };
}

function upstreamOffer({ upstream }: CatalogueSeed, upstreamModel: string): SeedOffer {
  return { ...upstream.offer, bundle: upstreamBundleId(upstreamModel), upstreamModel };
}

/** Replaces the file as a whole; for its owner only. */
async function write(file: string, text: string): Promise<void> {
  await writeFile(`${file}.draft`, text, { mode: 0o600 });
  await rename(`${file}.draft`, file);
}
