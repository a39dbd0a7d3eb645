import type { CertifiedScope, ModelDefinition } from '@svc/contracts';

/** Tokens. */
interface ServedLimits {
  /** Input and output together. */
  contextLimit: number;
  maxOutputTokens: number;
}

/** How large the requests are that an offer takes, within its model's definition. */
export function servedLimits(
  { contextLimit: mostContext, capabilities }: Pick<ModelDefinition, 'contextLimit' | 'capabilities'>,
  offer: { contextLimit: number; scope: Pick<CertifiedScope, 'capabilities'> },
): ServedLimits {
  const contextLimit = Math.min(mostContext, offer.contextLimit);
  const output = Math.min(capabilities.maxOutputTokens, offer.scope.capabilities.maxOutputTokens);
  return { contextLimit, maxOutputTokens: outputWithin(contextLimit, output) };
}

/** Output never takes the whole context: every request has a prompt. */
export function outputWithin(contextLimit: number, maxOutputTokens: number): number {
  return Math.max(1, Math.min(maxOutputTokens, contextLimit - 1));
}
