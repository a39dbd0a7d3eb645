import type { CertifiedFeatures, RequestNeeds } from '@svc/contracts';

/**
 * Whether an offer was certified for all that a request asks. Pure.
 * @param maxTokens the most that the request may generate
 * @param needs undefined for text alone
 */
export function isCertifiedFor(
  { structuredOutputs, maxOutputTokens, tools }: CertifiedFeatures,
  maxTokens: number,
  needs: RequestNeeds | undefined,
): boolean {
  if (maxTokens > maxOutputTokens) return false;
  if (!needs) return true;
  if (needs.structuredOutputs && !structuredOutputs) return false;
  if (needs.toolChoice !== undefined && !tools?.choices.includes(needs.toolChoice)) return false;
  if (needs.parallelToolCalls && !tools?.parallelCalls) return false;
  return !needs.strictSchemas || tools?.strictSchemas === true;
}
