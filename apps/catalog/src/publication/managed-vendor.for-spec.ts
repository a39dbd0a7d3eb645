import type { ManagedVendorDefinition } from '@svc/contracts';
import type { DefinedModel, DefinedVendor } from './publication.store';
import type { Definitions } from './published-views';

export function vendorOf(changes: Partial<ManagedVendorDefinition> = {}): ManagedVendorDefinition {
  return {
    mapping: 'vendor-tiny',
    model: 'svc/tiny@1',
    endpoint: 'https://vendor.example/v1',
    upstreamModel: 'vendor/tiny',
    payee: `0x${'b'.repeat(40)}`,
    inputPricePerMtok: '900000',
    outputPricePerMtok: '3600000',
    contextLimit: 8_192,
    maxOutputTokens: 4_096,
    tools: false,
    structuredOutputs: false,
    concurrency: 16,
    firstTokenTimeoutMs: 5_000,
    chunkTimeoutMs: 5_000,
    ...changes,
  };
}

export function definedVendor(changes: Partial<DefinedVendor> = {}): DefinedVendor {
  const defaults = { retired: false, outputLimitField: 'max_tokens', reasoningField: 'none' } as const;
  return { ...vendorOf(), ...defaults, version: 1, ...changes };
}

/** Definitions of one model, and of what is given besides. */
export function onlyModel(model: DefinedModel, beside: Partial<Definitions> = {}): Definitions {
  return { models: [model], routingModels: [], managedVendors: [], managedAnswerNamed: false, ...beside };
}
