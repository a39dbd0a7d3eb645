import type { CertifiedScope, ModelCapabilities, ToolContract } from '@svc/contracts';
import type { CertifiedOffer } from './markets';
import type { CertifiedOfferFacts, CertifiedTerms } from './publication.store';

export const LATER = new Date('2027-11-21T00:00:00Z');

export function contractOf(changes: Partial<ToolContract> = {}): ToolContract {
  return {
    tool_choice: ['auto', 'none', 'required', 'function'],
    parallel_tool_calls: false,
    strict_schemas: false,
    tool_streaming: 'buffered',
    max_argument_bytes: 1_024,
    certified_concurrency: 8,
    agentic_certified: false,
    metering_version: 1,
    certification_id: 'cert_1',
    ...changes,
  };
}

export function scopeOf(
  changes: Partial<Omit<CertifiedScope, 'capabilities'>> & { capabilities?: Partial<ModelCapabilities> } = {},
): CertifiedScope {
  const { capabilities, ...rest } = changes;
  return {
    capabilities: {
      workload: 'chat',
      tools: (changes.toolContract ?? null) !== null,
      structuredOutputs: false,
      reasoning: false,
      streaming: true,
      maxOutputTokens: 4_096,
      ...capabilities,
    },
    toolContract: null,
    concurrency: 8,
    firstTokenMs: 50,
    tokensPerSecond: 100,
    ...rest,
  };
}

/** An offer that is live. */
export function certifiedOffer(
  terms: Partial<CertifiedTerms> = {},
  facts: Partial<CertifiedOfferFacts> = {},
): CertifiedOffer {
  const { offerId = 'ofr_1', version = 1, certificationId = 'cert_1' } = terms;
  const key = { offerId, certificationId, certifiedUntil: LATER, digest: `0x${'0'.repeat(64)}` };
  return {
    terms: {
      ...key,
      version,
      scope: scopeOf(),
      model: 'svc/tiny@1',
      provider: `0x${'a'.repeat(40)}`,
      bundleId: 'tiny-q4',
      profileId: 'cpu-8k',
      endpoint: 'https://models.example/v1',
      upstreamModel: 'tiny',
      credential: null,
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      concurrency: 8,
      contextLimit: 8_192,
      firstTokenTimeoutMs: 1_000,
      chunkTimeoutMs: 1_000,
      expiresAt: LATER,
      ...terms,
    },
    facts: {
      ...key,
      version,
      liveVersion: version,
      expiresAt: LATER,
      providerSuspensionReason: null,
      suspensionReason: null,
      watchCode: null,
      watchReason: null,
      ...facts,
    },
  };
}
