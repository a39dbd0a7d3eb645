import type { ApplyCatalogueRequest, ModelDefinition } from '@svc/contracts';

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

/** A request that defines nothing but what is given. */
export function requestOf(parts: Partial<ApplyCatalogueRequest> = {}): ApplyCatalogueRequest {
  return { models: [], bundles: [], profiles: [], ...parts };
}

/** One model, and what is needed to offer it. */
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
    ...parts,
  });
}
