import type { ModelCapabilities, ModelDefinition, ToolContract } from '@svc/contracts';
import type { CertifiedTerms, DefinedVendor, FormerScope } from './publication.store';
import { outputWithin, servedLimits } from './served-limits';

type Proof = Pick<CertifiedTerms, 'scope' | 'certificationId' | 'contextLimit'>;

/** What a model can do, as far as it was shown. */
export interface ShownCapabilities {
  /** Tokens of input and output together. */
  contextLimit: number;
  capabilities: ModelCapabilities;
  toolContract?: ToolContract;
}

/** What an offer is certified for, within what operators say there may be at most. */
export function provenCapabilities(
  model: ModelDefinition,
  { concurrency, ...proof }: Proof & Pick<CertifiedTerms, 'concurrency'>,
): ShownCapabilities {
  return within(model, proof, concurrency);
}

/**
 * Of a model that no certified offer serves: what one was certified for last. Without any, what operators say, but tools and
 * structured outputs, which nobody has shown.
 */
export function formerCapabilities(
  model: ModelDefinition,
  former: FormerScope | undefined,
): ShownCapabilities {
  if (former) return within(model, former, former.scope.concurrency);
  const { contextLimit, capabilities } = model;
  return { contextLimit, capabilities: { ...capabilities, tools: false, structuredOutputs: false } };
}

/**
 * Of a model that was never certified, and that managed vendors answer for: what the one of them says that can do most (tools first, then
 * context, then output).
 */
export function managedCapabilities(
  model: ModelDefinition,
  vendors: readonly DefinedVendor[],
): ShownCapabilities {
  const [ablest] = [...vendors].sort(
    (a, b) =>
      Number(b.tools) - Number(a.tools) ||
      b.contextLimit - a.contextLimit ||
      b.maxOutputTokens - a.maxOutputTokens,
  );
  if (!ablest) return formerCapabilities(model, undefined);
  const { capabilities } = model;
  const contextLimit = Math.min(model.contextLimit, ablest.contextLimit);
  const output = Math.min(capabilities.maxOutputTokens, ablest.maxOutputTokens);
  return {
    contextLimit,
    capabilities: {
      ...capabilities,
      tools: capabilities.tools && ablest.tools,
      structuredOutputs: capabilities.structuredOutputs && ablest.structuredOutputs,
      maxOutputTokens: outputWithin(contextLimit, output),
    },
  };
}

function within(model: ModelDefinition, proof: Proof, signedConcurrency: number): ShownCapabilities {
  const { capabilities: ceiling } = model;
  const { capabilities, toolContract, concurrency } = proof.scope;
  const { contextLimit, maxOutputTokens } = servedLimits(model, proof);
  const tools = ceiling.tools && toolContract !== null;
  return {
    contextLimit,
    capabilities: {
      workload: ceiling.workload,
      tools,
      structuredOutputs: ceiling.structuredOutputs && capabilities.structuredOutputs,
      reasoning: ceiling.reasoning && capabilities.reasoning,
      streaming: ceiling.streaming && capabilities.streaming,
      maxOutputTokens,
    },
    ...(tools && {
      toolContract: {
        ...toolContract,
        certified_concurrency: Math.min(concurrency, signedConcurrency),
        certification_id: proof.certificationId,
      },
    }),
  };
}
