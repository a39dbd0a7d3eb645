import type { ApplyCatalogueRequest, ModelDefinition, OfferDefinition } from '@svc/contracts';

export const PROVIDER = `0x${'a'.repeat(40)}`;
export const OTHER_PROVIDER = `0x${'b'.repeat(40)}`;

export function modelOf(changes: Partial<ModelDefinition> = {}): ModelDefinition {
  return {
    id: 'svc/tiny@1',
    ownedBy: 'svc',
    contextLimit: 8_192,
    capabilities: {
      workload: 'chat',
      tools: false,
      structuredOutputs: false,
      reasoning: false,
      streaming: true,
      maxOutputTokens: 4_096,
    },
    ...changes,
  };
}

export function offerOf(changes: Partial<OfferDefinition> = {}): OfferDefinition {
  return {
    id: 'offer-1',
    provider: PROVIDER,
    bundle: 'tiny-q4',
    profile: 'cpu-8k',
    endpoint: 'http://127.0.0.1:9/v1',
    upstreamModel: 'tiny',
    inputPricePerMtok: '100000',
    outputPricePerMtok: '400000',
    concurrency: 8,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
    active: true,
    ...changes,
  };
}

/** A request that defines nothing but what is given. */
export function requestOf(parts: Partial<ApplyCatalogueRequest> = {}): ApplyCatalogueRequest {
  return { models: [], bundles: [], profiles: [], providers: [], offers: [], ...parts };
}

/** One model with one offer, whole. */
export function wholeRequest(parts: Partial<ApplyCatalogueRequest> = {}): ApplyCatalogueRequest {
  return requestOf({
    models: [modelOf()],
    bundles: [
      {
        id: 'tiny-q4',
        model: 'svc/tiny@1',
        weightsDigest: 'sha256:1',
        quantisation: 'q4',
        engine: 'llama.cpp',
      },
    ],
    profiles: [{ id: 'cpu-8k', hardwareClass: 'cpu', contextLimit: 8_192, speedTier: 'standard' }],
    providers: [{ wallet: PROVIDER, name: 'Alice' }],
    offers: [offerOf()],
    ...parts,
  });
}
