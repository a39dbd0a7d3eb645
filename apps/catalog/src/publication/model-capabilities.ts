import type { CertifiedScope, ModelCapabilities, ModelDefinition, ToolContract } from '@svc/contracts';
import type { CertifiedTerms, FormerScope } from './publication.store';

/** What a model can do, as far as it was shown. */
export interface ShownCapabilities {
  capabilities: ModelCapabilities;
  toolContract?: ToolContract;
}

/** What an offer is certified for, within what operators say there may be at most. */
export function provenCapabilities(
  model: ModelDefinition,
  { scope, certificationId, concurrency }: Pick<CertifiedTerms, 'scope' | 'certificationId' | 'concurrency'>,
): ShownCapabilities {
  return within(model.capabilities, scope, certificationId, concurrency);
}

/**
 * Of a model that no certified offer serves: what one was certified for last. Without any, what operators say, but tools and
 * structured outputs, which nobody has shown.
 */
export function formerCapabilities(
  { capabilities }: ModelDefinition,
  former: FormerScope | undefined,
): ShownCapabilities {
  if (former) return within(capabilities, former.scope, former.certificationId, former.scope.concurrency);
  return { capabilities: { ...capabilities, tools: false, structuredOutputs: false } };
}

function within(
  ceiling: ModelCapabilities,
  { capabilities, toolContract, concurrency }: CertifiedScope,
  certificationId: string,
  signedConcurrency: number,
): ShownCapabilities {
  const tools = ceiling.tools && toolContract !== null;
  return {
    capabilities: {
      workload: ceiling.workload,
      tools,
      structuredOutputs: ceiling.structuredOutputs && capabilities.structuredOutputs,
      reasoning: ceiling.reasoning && capabilities.reasoning,
      streaming: ceiling.streaming && capabilities.streaming,
      maxOutputTokens: Math.min(ceiling.maxOutputTokens, capabilities.maxOutputTokens),
    },
    ...(tools && {
      toolContract: {
        ...toolContract,
        certified_concurrency: Math.min(concurrency, signedConcurrency),
        certification_id: certificationId,
      },
    }),
  };
}
