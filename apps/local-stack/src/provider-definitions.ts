import { readFileSync } from 'node:fs';
import type { StackContext } from './stack-context';
import type { UpstreamOption } from './stack.config';

/** A provider-node the stack runs, and how it stands in the seed. */
export interface ProviderDefinition {
  /** The process's name, its log's name and, in the catalogue, the provider's. */
  name: string;
  settings: Record<string, string>;
  /** What it serves beside the seed's models, which demo providers serve: its own name for it and the market's. */
  upstream?: { model: string; marketId: string };
}

/** As far as the supervisor reads the seed file, which is apps/setup's. */
interface Seed {
  models: { id: string; capabilities: { workload: string } }[];
  managed: { upstreamModel: string }[];
  stalls: { offers: { upstreamModel: string }[] }[];
}

/** Tokens per second of the demo engines, in the order of the seed's stalls: a standard one and a fast one. */
const demoSpeeds = [60, 120];
const vendorSpeed = 90;

/** One demo provider per stall of the seed, and the upstream the user brought. */
export function providerDefinitions({ options, paths }: StackContext): ProviderDefinition[] {
  const demos = readSeed(paths.seedFile).stalls.map((stall, index): ProviderDefinition => {
    const speed = demoSpeeds[index % demoSpeeds.length] ?? 0;
    return {
      name: `provider-demo-${index + 1}`,
      settings: {
        PROVIDER_MODEL: stall.offers.map((offer) => offer.upstreamModel).join(','),
        PROVIDER_TOKENS_PER_SECOND: process.env.PROVIDER_TOKENS_PER_SECOND ?? String(speed),
      },
    };
  });
  return options.upstream === undefined ? demos : [...demos, upstreamProvider(options.upstream)];
}

/** A managed vendor for trying out, with the demo engine: it is no provider, and joins nothing. */
export function vendorDefinition({ paths }: StackContext): ProviderDefinition {
  const models = readSeed(paths.seedFile).managed.map(({ upstreamModel }) => upstreamModel);
  return {
    name: 'vendor-demo',
    settings: {
      PROVIDER_MODEL: [...new Set(models)].join(','),
      PROVIDER_TOKENS_PER_SECOND: process.env.PROVIDER_TOKENS_PER_SECOND ?? String(vendorSpeed),
    },
  };
}

/** The ids of the models on offer; the user's own upstream first, if there is one. */
export function marketModels(context: StackContext): string[] {
  const own = providerDefinitions(context).flatMap(({ upstream }) => upstream?.marketId ?? []);
  return [...new Set([...own, ...seedModels(context.paths.seedFile)])];
}

/** The ids of the models the demo providers serve. */
function seedModels(seedFile: string): string[] {
  return readSeed(seedFile)
    .models.filter(({ capabilities }) => capabilities.workload === 'chat')
    .map(({ id }) => id);
}

function upstreamProvider(upstream: UpstreamOption): ProviderDefinition {
  return {
    name: 'provider-upstream',
    upstream: { model: upstream.model, marketId: marketId(upstream.model) },
    settings: {
      PROVIDER_MODEL: upstream.model,
      UPSTREAM_URL: upstream.url,
      UPSTREAM_MODEL: upstream.model,
      ...(upstream.apiKey !== undefined && { UPSTREAM_API_KEY: upstream.apiKey }),
    },
  };
}

/** `svc/<name>@1`, the name in lower-case letters, digits, dots and dashes. */
function marketId(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, 48)
    .replace(/^[-.]+|[-.]+$/g, '');
  return `svc/${name === '' ? 'upstream' : name}@1`;
}

function readSeed(file: string): Seed {
  return JSON.parse(readFileSync(file, 'utf8')) as Seed;
}
